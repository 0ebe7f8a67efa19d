import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** The real keychain: gnome-keyring in a D-Bus session and a home folder of its own, asked by fresh processes. */
const run = promisify(execFile)
let home = ''
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-keyring-'))
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const vaultModule = path.join(import.meta.dirname, 'vault.ts')
/** A process that runs a few lines with a vault of its own and prints their result. */
function inOneProcess(lines: string): string {
  const script = path.join(home, `${Math.random().toString(36).slice(2)}.ts`)
  fs.writeFileSync(
    script,
    `import { Vault } from ${JSON.stringify(vaultModule)}
const vault = new Vault()
const result = await (async () => { ${lines} })()
console.log(JSON.stringify(result ?? null))
process.exit(0)`,
  )
  return `'${process.execPath}' --no-warnings '${script}'`
}

const askBus =
  'dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets'
const awaitService = `until ${askBus} | grep -q 'boolean true'; do sleep 0.05; done`

/** Ends with its session: the daemon is stopped by its own process id before the bus goes. */
async function session(unlock: string | undefined, ...steps: string[]): Promise<unknown[]> {
  const start =
    unlock === undefined
      ? 'gnome-keyring-daemon --foreground --start --components=secrets </dev/null >/dev/null 2>&1 &'
      : `printf '%s' '${unlock}' | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 &`
  const shell = [start, 'daemon=$!', awaitService, ...steps, 'kill $daemon', 'wait $daemon', 'true'].join('\n')
  const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, XDG_DATA_HOME: path.join(home, 'data'), DISPLAY: '' }
  const { stdout } = await run('dbus-run-session', ['--', 'sh', '-c', shell], { env, timeout: 30_000 })
  const lines = stdout.split('\n').filter((line) => /^(null|[[{"]|true|false)/.test(line))
  return lines.map((line) => JSON.parse(line) as unknown)
}

test('a secret set by one process is there for the next, is listed unread, and can be deleted', async () => {
  const results = await session(
    'pw',
    inOneProcess(`return vault.set('m1', 'agent', 'canary-5f2c')`),
    inOneProcess(`return vault.get('m1', 'agent')`),
    inOneProcess(`return (await vault.list()).map((item) => item.machineId + ' ' + Object.keys(item).sort().join())`),
    inOneProcess(`await vault.delete('m1', 'agent'); return vault.list()`),
    inOneProcess(`return (await vault.get('m1', 'agent')) ?? null`),
    inOneProcess(`return vault.state()`),
  )
  expect(results).toEqual([
    'keychain',
    'canary-5f2c',
    ['m1 kind,machineId,since'],
    [],
    null,
    expect.objectContaining({ state: 'ready' }),
  ])
})

test('the secret stands encrypted on disk', async () => {
  await session('pw', inOneProcess(`return vault.set('m1', 'agent', 'canary-77aa')`))
  const folder = path.join(home, 'data', 'keyrings')
  const files = fs.readdirSync(folder)
  expect(files).toContain('login.keyring')
  for (const file of files) expect(fs.readFileSync(path.join(folder, file)).includes('canary-77aa')).toBe(false)
})

test('a locked keychain is said to be locked, within the time limit', async () => {
  await session('pw', inOneProcess(`return vault.set('m1', 'agent', 'x')`))
  const [state, kept] = await session(
    undefined,
    inOneProcess('return vault.state()'),
    inOneProcess(`return vault.set('m2', 'agent', 'x')`),
  )
  expect(state).toMatchObject({ state: 'locked' })
  expect(kept).toBe('this-run')
})

test('a keyring without encryption is weak: it is refused and nothing is left in it', async () => {
  const folder = path.join(home, 'data', 'keyrings')
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  // What the daemon writes itself when a person chooses an empty password.
  fs.writeFileSync(
    path.join(folder, 'plain.keyring'),
    '[keyring]\ndisplay-name=plain\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n',
  )
  fs.writeFileSync(path.join(folder, 'default'), 'plain')
  const [state, kept] = await session(
    undefined,
    inOneProcess('return vault.state()'),
    inOneProcess(`return vault.set('m1', 'agent', 'canary-1234')`),
  )
  expect(state).toMatchObject({ state: 'weak' })
  expect(kept).toBe('this-run')
  expect(fs.readFileSync(path.join(folder, 'plain.keyring'), 'utf8')).not.toContain('canary-1234')
})

test('without a D-Bus session the keychain is missing, and the kernel keyring is not used instead', async () => {
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: home, XDG_RUNTIME_DIR: home }
  delete env['DBUS_SESSION_BUS_ADDRESS']
  const command = inOneProcess(
    `const { Vault: Fresh } = await import(${JSON.stringify(vaultModule)})
     const kept = await vault.set('m1', 'agent', 'x')
     return [(await vault.state()).state, kept, (await new Fresh().get('m1', 'agent')) ?? null]`,
  )
  const { stdout } = await run('sh', ['-c', command], { env, timeout: 30_000 })
  expect(JSON.parse(stdout)).toEqual(['missing', 'this-run', null])
})
