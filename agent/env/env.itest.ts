import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { envVars, parseEnvFile } from '../../shared/domain/env-file.ts'
import { Problem } from '../../shared/errors.ts'
import { EnvService } from './env.service.ts'

let folder: string
let remove: () => void
let file: string
beforeEach(() => {
  ;({ folder, remove } = freshFolder('env'))
  file = path.join(folder, '.env')
})
afterEach(() => remove())

const isRoot = process.getuid?.() === 0
const mode = (name: string) => fs.statSync(name).mode & 0o7777
const read = () => fs.readFileSync(file, 'utf8')
const service = (more: Partial<ConstructorParameters<typeof EnvService>[0]> = {}) =>
  new EnvService({
    file: () => file,
    allowReveal: () => true,
    salt: () => Buffer.alloc(32, 1),
    prepareRestart: async () => async () => ['api', 'worker'],
    ...more,
  })

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof Problem) return error
  throw new Error(`expected a problem, got ${String(error)}`)
}

test('a file is never made larger than it can be read', async () => {
  fs.writeFileSync(file, `BIG=${'x'.repeat(4 * 1024 * 1024 - 1000)}\n`)
  const problem = await problemOf(service().set({ MORE: 'y'.repeat(2000) }, false))
  expect([problem.code, problem.message]).toEqual(['conflict', expect.stringContaining('nothing was written')])
  expect(Object.keys((await service().list()).vars)).toEqual(['BIG'])
  await service().remove('BIG')
  await service().set({ MORE: 'y' }, false)
  expect(read()).toBe('MORE=y\n')
})

describe('a change', () => {
  const text = '# top\r\nexport A="one"   # why\r\n\r\nB=1\r\nB=2\r\n???\r\nLAST=\'x\ny\'\r\n'

  test('leaves everything else as it is', async () => {
    fs.writeFileSync(file, text)
    await service().set({ A: 'two # $HOME = \\ "🚢"' }, false)
    const changed = read()
    expect(envVars(parseEnvFile(changed)).get('A')).toBe('two # $HOME = \\ "🚢"')
    expect(changed.replace(/export A=.*?(?= {3}#)/s, 'export A="one"')).toBe(text)
  })

  test('keeps mode and owner, and a private copy of what was', async () => {
    fs.writeFileSync(file, text, { mode: 0o640 })
    if (isRoot) fs.chownSync(file, 1234, 2345)
    await service().set({ A: 'two' }, false)
    expect(mode(file)).toBe(0o640)
    if (isRoot) expect([fs.statSync(file).uid, fs.statSync(file).gid]).toEqual([1234, 2345])
    expect(fs.readFileSync(`${file}.bak`, 'utf8')).toBe(text)
    expect(mode(`${file}.bak`)).toBe(0o600)
    expect(fs.readdirSync(folder).sort()).toEqual(['.env', '.env.bak'])
  })

  test('makes a private file where there is none', async () => {
    const mask = process.umask(0)
    await service().set({ A: '1' }, false)
    process.umask(mask)
    expect([read(), mode(file)]).toEqual(['A=1\n', 0o600])
    expect(fs.existsSync(`${file}.bak`)).toBe(false)
  })

  test('that changes nothing writes nothing', async () => {
    fs.writeFileSync(file, 'A=1\n')
    const before = fs.statSync(file).ino
    expect((await service().set({ A: '1' }, false)).updatedKeys).toEqual([])
    expect(fs.statSync(file).ino).toBe(before)
  })

  test('goes through a symbolic link, which stays', async () => {
    fs.mkdirSync(path.join(folder, 'real'))
    fs.mkdirSync(path.join(folder, 'a'))
    fs.symlinkSync('../real/settings', path.join(folder, 'a', 'link'))
    fs.symlinkSync('a/link', file)
    await service().set({ A: '1' }, false)
    await service().set({ B: '2' }, false)
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true)
    expect(fs.readFileSync(path.join(folder, 'real', 'settings'), 'utf8')).toBe('A=1\nB=2\n')
  })

  test('goes where the system goes when a link leads out of a linked folder, and nowhere when that is not there', async () => {
    fs.mkdirSync(path.join(folder, 'releases', 'one'), { recursive: true })
    fs.symlinkSync('releases/one', path.join(folder, 'current'))
    fs.symlinkSync('current/../settings', file)
    const env = service()
    await env.set({ A: '1' }, false)
    expect((await env.list()).vars).toEqual({ A: '1' })
    expect(fs.readFileSync(path.join(folder, 'releases', 'settings'), 'utf8')).toBe('A=1\n')
    fs.rmSync(path.join(folder, 'current'))
    const problem = await problemOf(env.set({ A: '2' }, false))
    expect([problem.code, problem.message]).toEqual(['conflict', expect.stringContaining('a folder that is not there')])
    expect(fs.readdirSync(folder).sort()).toEqual(['.env', 'releases'])
  })

  test('writes its copy over a link in its place, not through it', async () => {
    const victim = path.join(folder, 'victim')
    fs.writeFileSync(victim, 'untouched')
    fs.writeFileSync(file, 'API_KEY=x\n')
    fs.symlinkSync(victim, `${file}.bak`)
    await service().set({ A: '1' }, false)
    expect(fs.readFileSync(victim, 'utf8')).toBe('untouched')
    expect(fs.lstatSync(`${file}.bak`).isSymbolicLink()).toBe(false)
  })

  test('keeps bytes that are no UTF-8', async () => {
    const odd = Buffer.from([...Buffer.from('ODD='), 0xff, 0xe4, ...Buffer.from('\nNAME=Zoë\n')])
    fs.writeFileSync(file, odd)
    const env = service()
    await env.set({ A: 'ü' }, false)
    expect(fs.readFileSync(file).subarray(0, odd.length).equals(odd)).toBe(true)
    expect((await env.list()).vars).toMatchObject({ A: 'ü', NAME: 'Zoë' })
  })

  test('and fifty more at once lose none', async () => {
    const env = service()
    await Promise.all(Array.from({ length: 50 }, (_, i) => env.set({ [`K${i}`]: String(i) }, false)))
    expect(Object.keys((await env.list()).vars)).toHaveLength(50)
  })

  test('removes what a killed agent left behind', async () => {
    fs.writeFileSync(path.join(folder, '.env.0123456789abcdef.new'), 'API_KEY=half')
    await service().set({ A: '1' }, false)
    expect(fs.readdirSync(folder)).toEqual(['.env'])
  })

  test.each([
    ['a folder in its place', () => fs.mkdirSync(file), 'conflict'],
    ['a link to itself', () => fs.symlinkSync('.env', file), 'conflict'],
    ['a pipe that nobody writes to', () => spawnSync('mkfifo', [file]), 'conflict'],
  ])('is refused with %s', async (_name, prepare, code) => {
    prepare()
    const problem = await problemOf(service().set({ A: '1' }, false))
    expect([problem.code, problem.message.length > 20]).toEqual([code, true])
  })
})

describe('kill -9 while the file is written', () => {
  const writer = `
    import { EnvService } from ${JSON.stringify(path.join(import.meta.dirname, 'env.service.ts'))}
    const env = new EnvService({ file: () => process.argv[1], allowReveal: () => false, salt: () => Buffer.alloc(32), prepareRestart: async () => async () => [] })
    for (let i = Number(process.argv[2]); ; i++) {
      await env.set({ A: String(i).repeat(20000), B: String(i) }, false)
      if (i === Number(process.argv[2])) process.stdout.write('at work')
    }`

  test(`at ${times(12, 60)} moments leaves the old file or the new one, whole and private`, async () => {
    fs.writeFileSync(file, '# kept\nA=start\nB=start\n', { mode: 0o600 })
    const seen = new Set<string>()
    for (let round = 0; round < times(12, 60); round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer, file, String(round * 1000)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await new Promise((resolve) => child.stdout.once('data', resolve))
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
      child.kill('SIGKILL')
      await ended
      const vars = envVars(parseEnvFile(read()))
      const count = vars.get('B') ?? ''
      expect(read().startsWith('# kept\nA=')).toBe(true)
      expect(vars.size).toBe(2)
      expect(vars.get('A')).toBe(count === 'start' ? 'start' : count.repeat(20000))
      expect(mode(file)).toBe(0o600)
      if (fs.existsSync(`${file}.bak`)) expect(mode(`${file}.bak`)).toBe(0o600)
      seen.add(count)
    }
    // It was killed at work, not before or after.
    expect(seen.size).toBe(times(12, 60))
    // Dozens of programs are started, on whatever machine this is.
  }, 300_000)
})

describe('a disk that does not take it', () => {
  const canMount = isRoot && process.platform === 'linux'
  test.skipIf(!canMount)('full (a small tmpfs; needs root): the old content stays, and the error says so', async () => {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
    expect(mounted.status, String(mounted.stderr)).toBe(0)
    try {
      fs.writeFileSync(file, 'A=1\n')
      const problem = await problemOf(service().set({ A: 'x'.repeat(100_000) }, false))
      expect(problem.code).toBe('storage-full')
      expect(read()).toBe('A=1\n')
      expect(fs.readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
    } finally {
      spawnSync('umount', [folder])
    }
  })

  test.skipIf(!canMount)('read-only file system (needs root)', async () => {
    fs.writeFileSync(file, 'A=1\n')
    spawnSync('mount', ['--bind', folder, folder])
    spawnSync('mount', ['-o', 'remount,ro,bind', folder])
    try {
      expect((await problemOf(service().set({ A: '2' }, false))).code).toBe('forbidden')
    } finally {
      spawnSync('umount', [folder])
    }
    expect(read()).toBe('A=1\n')
  })

  test.skipIf(!canMount)('read-only folder, as an ordinary user (needs root to become one)', () => {
    fs.writeFileSync(file, 'A=1\n', { mode: 0o644 })
    fs.chmodSync(folder, 0o555)
    const script = `
      import { EnvService } from ${JSON.stringify(path.join(import.meta.dirname, 'env.service.ts'))}
      process.setgid(65534); process.setuid(65534)
      const env = new EnvService({ file: () => process.argv[1], allowReveal: () => false, salt: () => Buffer.alloc(32), prepareRestart: async () => async () => [] })
      await env.set({ A: '2' }, false).catch((error) => process.stdout.write(error.code))`
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, file], { encoding: 'utf8' })
    fs.chmodSync(folder, 0o755)
    expect(run.stdout, run.stderr).toBe('forbidden')
    expect(read()).toBe('A=1\n')
  })
})

describe('a restart', () => {
  test('names what was restarted', async () => {
    expect((await service().set({ A: '1' }, true)).restarted).toEqual(['api', 'worker'])
  })
  test('that cannot be made is refused before anything is written', async () => {
    const env = service({ prepareRestart: () => Promise.reject(new Problem('install-required', 'No Docker.')) })
    expect((await problemOf(env.set({ A: '1' }, true))).code).toBe('install-required')
    expect(fs.existsSync(file)).toBe(false)
  })
  test('that fails says that the file is written', async () => {
    const env = service({ prepareRestart: async () => () => Promise.reject(new Problem('deploy-failed', 'unwell')) })
    const problem = await problemOf(env.set({ A: '1' }, true))
    expect([problem.code, problem.message]).toEqual(['deploy-failed', expect.stringContaining('is written')])
    expect(read()).toBe('A=1\n')
  })
})

describe('over the wire', () => {
  const agents: TestAgent[] = []
  const start = async (env: Record<string, string> = {}) => {
    const rig = await startTestAgent({ PILOTHOUSE_ENV_FILE: file, DOCKER_HOST: 'unix:///nowhere.sock', ...env })
    agents.push(rig)
    return rig
  }
  afterEach(async () => {
    for (const rig of agents.splice(0)) await rig.stop()
  })

  test('sensitive values never leave, not in answers, nor the audit, nor the log', async () => {
    const rig = await start()
    await rig.client.call('env.set', { vars: { API_TOKEN: 'canary-1', DATABASE_URL: 'canary-2', PLAIN: 'shown' } })
    fs.appendFileSync(file, 'PLAIN=twice\n')
    const env = await rig.client.call('env.get')
    expect(env.vars).toEqual({ API_TOKEN: '***', DATABASE_URL: '***', PLAIN: 'twice' })
    expect(env.redactedKeys).toEqual(['API_TOKEN', 'DATABASE_URL'])
    expect(env.duplicateKeys).toEqual(['PLAIN'])
    const audit = await rig.client.call('audit.list', {})
    expect(JSON.stringify([env, audit, rig.logged])).not.toContain('canary')
    expect(audit.entries[0]).toMatchObject({ action: 'set_env', result: 'success' })
    expect(audit.entries[0]?.details).toMatchObject({ updatedKeys: ['API_TOKEN', 'DATABASE_URL', 'PLAIN'] })
  })

  test('fingerprints agree between machines that share a salt, and say nothing to those that do not', async () => {
    fs.writeFileSync(file, 'A=1\nB=1\n')
    const shared = { PILOTHOUSE_FLEET_SALT: 'one salt for the whole fleet' }
    const [one, two, other] = [await start(shared), await start(shared), await start()]
    const [a, b, c] = await Promise.all([one, two, other].map((rig) => rig.client.call('env.get')))
    expect(a?.fingerprints).toEqual(b?.fingerprints)
    expect(a?.fingerprints['A']).toMatch(/^[0-9a-f]{16}$/)
    expect(a?.fingerprints['A']).not.toBe(a?.fingerprints['B'])
    expect(c?.fingerprints['A']).not.toBe(a?.fingerprints['A'])
    await one.client.call('env.set', { vars: { A: '2' } })
    expect((await one.client.call('env.get')).fingerprints['A']).not.toBe(a?.fingerprints['A'])
  })

  test('revealing is off until the machine allows it, and is always audited with its reason', async () => {
    fs.writeFileSync(file, 'API_KEY=canary-3\n')
    const shut = await start()
    const refused = await problemOf(shut.client.call('env.reveal', { key: 'API_KEY', reason: 'incident 7' }))
    expect(refused.code).toBe('forbidden')
    const open = await start({ PILOTHOUSE_ALLOW_REVEAL: '1' })
    const shown = await open.client.call('env.reveal', { key: 'API_KEY', reason: 'incident 7' })
    expect(shown).toEqual({ key: 'API_KEY', value: 'canary-3' })
    for (const [rig, result] of [[shut, 'failure'] as const, [open, 'success'] as const]) {
      const { entries } = await rig.client.call('audit.list', { action: 'reveal_env' })
      expect(entries[0]).toMatchObject({
        result,
        operator: 'Tester',
        details: { reason: 'incident 7', variable: 'API_KEY' },
      })
      expect(JSON.stringify(entries)).not.toContain('canary')
    }
    expect((await problemOf(open.client.call('env.reveal', { key: 'NONE', reason: 'why not' }))).code).toBe('not-found')
  })

  test('what cannot be is refused with the reason', async () => {
    const rig = await start()
    expect((await problemOf(rig.client.call('env.delete', { key: 'MISSING' }))).status).toBe(404)
    expect((await problemOf(rig.client.call('env.set', { vars: { A: '1' }, restart: true }))).status).toBe(424)
    for (const vars of [{ '1A': 'x' }, { 'A B': 'x' }, { A: 'a\0b' }]) {
      expect((await problemOf(rig.client.call('env.set', { vars }))).code, JSON.stringify(vars)).toBe('invalid-params')
    }
    expect(fs.existsSync(file)).toBe(false)
  })

  test('a change that was made on what someone else has changed since is refused, and says which', async () => {
    fs.writeFileSync(file, '# top\nA=1\nB=1 # why\nC=1\n')
    const rig = await start()
    const seen = (await rig.client.call('env.get')).fingerprints
    fs.writeFileSync(file, '# top\nA=1\nB=2 # why\nC=1\n')
    const mine = {
      vars: { B: '3', NEW: 'x' },
      remove: ['C'],
      expect: { B: seen['B'] ?? null, C: seen['C'] ?? null, NEW: null },
    }
    const refused = await problemOf(rig.client.call('env.set', mine))
    expect([refused.code, refused.extra['changedKeys']]).toEqual(['conflict', ['B']])
    expect(read()).toBe('# top\nA=1\nB=2 # why\nC=1\n')
    const now = (await rig.client.call('env.get')).fingerprints
    const done = await rig.client.call('env.set', { ...mine, expect: { ...mine.expect, B: now['B'] ?? null } })
    expect(done).toMatchObject({ updatedKeys: ['B', 'NEW'], removedKeys: ['C'] })
    expect(read()).toBe('# top\nA=1\nB=3 # why\nNEW=x\n')
  })

  test('every awkward value survives a write and a read', async () => {
    const rig = await start({ PILOTHOUSE_ALLOW_REVEAL: '1' })
    const vars = {
      SPACES: ' a  b ',
      QUOTES: `'"`,
      HASH: 'a#b #c',
      EQ: 'a=b=',
      LINES: 'a\nb\r\nc',
      EMOJI: '🚢',
      BACK: '\\n$x`y`',
      EMPTY: '',
    }
    await rig.client.call('env.set', { vars })
    await rig.restart()
    const client = rig.clientAs({ secret: rig.secret })
    expect((await client.call('env.get')).vars).toEqual(vars)
    await client.call('env.delete', { key: 'LINES' })
    expect(Object.keys((await client.call('env.get')).vars)).not.toContain('LINES')
  })
})
