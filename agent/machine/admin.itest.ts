import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { startAgentProcess } from '../../e2e/rigs/agent-process.ts'
import { builtAgent, nodeProgram } from '../../e2e/rigs/built.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import type { Problem } from '../../shared/errors.ts'
import { SecretKeeper } from './secret-keeper.ts'

const agents: TestAgent[] = []
async function start(env: Record<string, string> = {}): Promise<TestAgent> {
  const rig = await startTestAgent({ PILOTHOUSE_SHUTDOWN_COMMAND: '/bin/false', ...env })
  agents.push(rig)
  return rig
}
let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('admin'))
})
afterEach(async () => {
  for (const rig of agents.splice(0)) await rig.stop()
  remove()
})

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error as Problem,
  )
const accepted = async (rig: TestAgent, secret: string) => {
  const client = rig.clientAs({ secret })
  return client.call('machine.status').then(
    () => true,
    () => false,
  )
}

describe('a rotation of the secret', () => {
  const next = 'canary-next-secret-0123456789-abcdefghij'

  test('takes the new one at once, keeps the old one for a while, and survives a restart', async () => {
    const rig = await start()
    const answer = await rig.client.call('machine.rotateSecret', { current: rig.secret, next })
    expect(answer).toMatchObject({ success: true, message: expect.stringContaining('60 s') })
    expect(Date.parse(answer.oldValidUntil) - Date.now()).toBeGreaterThan(50_000)
    expect([await accepted(rig, next), await accepted(rig, rig.secret)]).toEqual([true, true])
    // Started with the old one again, as a service with an environment of its own would be.
    await rig.restart()
    expect([await accepted(rig, next), await accepted(rig, rig.secret)]).toEqual([true, false])
    expect(fs.statSync(path.join(rig.dataDir, 'rotated-secret')).mode & 0o777).toBe(0o600)
  })

  test('leaves neither secret in the audit, the log or an error', async () => {
    const rig = await start()
    const wrong = await problemOf(rig.client.call('machine.rotateSecret', { current: 'canary-wrong', next }))
    expect([wrong.status, wrong.code]).toEqual([403, 'forbidden'])
    expect(await accepted(rig, next)).toBe(false)
    await rig.client.call('machine.rotateSecret', { current: rig.secret, next })
    const { entries } = await rig.client.call('audit.list', { action: 'rotate_secret' })
    expect(entries.map(({ result }) => result)).toEqual(['success', 'failure'])
    const everything = JSON.stringify([entries, rig.logged, wrong.message])
    expect(everything).not.toContain('canary')
    expect(everything).not.toContain(rig.secret)
  })

  test.each(['too-short', 'x'.repeat(31), ` ${'x'.repeat(40)}`, `${'x'.repeat(40)}\nz`, `${'x'.repeat(40)}ü`])(
    'to %j is refused',
    async (bad) => {
      const rig = await start()
      const problem = await problemOf(rig.client.call('machine.rotateSecret', { current: rig.secret, next: bad }))
      expect(problem.code).toBe('invalid-params')
    },
  )

  test('writes a secret file where that is where the secret comes from', async () => {
    const file = path.join(folder, 'secret')
    const old = 'o'.repeat(40)
    fs.writeFileSync(file, `${old}\n`, { mode: 0o600 })
    const keeper = new SecretKeeper(folder, file, old)
    await keeper.rotate(old, next)
    expect([fs.readFileSync(file, 'utf8'), fs.statSync(file).mode & 0o777]).toEqual([`${next}\n`, 0o600])
    expect(fs.existsSync(path.join(folder, 'rotated-secret'))).toBe(false)
  })

  test.each([['secret'], [undefined]])(
    'of several at once, the one that is written down is the one in use (%s)',
    async (name) => {
      const file = name === undefined ? undefined : path.join(folder, name)
      const first = 'o'.repeat(40)
      if (file !== undefined) fs.writeFileSync(file, first)
      const keeper = new SecretKeeper(folder, file, first)
      let current = first
      for (let round = 0; round < 20; round++) {
        const wanted = Array.from('abcdef', (letter) => `${letter}${round}`.padEnd(40, letter))
        await Promise.all(wanted.map((secret) => keeper.rotate(current, secret)))
        current = wanted.at(-1) ?? ''
        const given = file === undefined ? first : fs.readFileSync(file, 'utf8').trim()
        const started = new SecretKeeper(folder, file, given).checker
        expect(started.derive('one').equals(keeper.checker.derive('one'))).toBe(true)
        expect([started.matches(current), started.matches(first)]).toEqual([true, false])
      }
    },
  )

  test('kept in the data folder wins over the secrets it replaced, and over no other', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]
    await new SecretKeeper(folder, undefined, a).rotate(a, b)
    await new SecretKeeper(folder, undefined, a).rotate(b, c)
    const started = (given: string) => new SecretKeeper(folder, undefined, given).checker
    expect([started(a).matches(c), started(b).matches(c), started(a).matches(a)]).toEqual([true, true, false])
    expect(started('d'.repeat(40)).matches('d'.repeat(40))).toBe(true)
    // Back to where it began.
    await new SecretKeeper(folder, undefined, c).rotate(c, a)
    expect(started(a).matches(a)).toBe(true)
  })
})

describe('a refresh', () => {
  test('takes settings that were changed in their file, and says which wait for a restart', async () => {
    const config = path.join(folder, 'agent.env')
    fs.writeFileSync(config, '# the machine\nPILOTHOUSE_MACHINE_TYPE=one\n')
    const agent = await startAgentProcess({ PILOTHOUSE_CONFIG: config })
    const reveal = () => problemOf(agent.client.call('env.reveal', { key: 'A', reason: 'test' }))
    try {
      expect((await agent.client.call('machine.status')).machineType).toBe('one')
      expect((await reveal()).code).toBe('forbidden')
      fs.writeFileSync(config, 'PILOTHOUSE_MACHINE_TYPE=two\nPILOTHOUSE_ALLOW_REVEAL=1\n')
      const { success, message } = await agent.client.call('machine.refreshSecrets')
      expect(success).toBe(true)
      expect(message).toContain('In effect now: allowReveal.')
      expect(message).toContain('After a restart of the agent: machineType.')
      expect((await reveal()).code).toBe('not-found')
      fs.rmSync(config)
      const lost = await problemOf(agent.client.call('machine.refreshSecrets'))
      expect([lost.code, lost.message]).toEqual(['conflict', expect.stringContaining('The old configuration stays')])
      expect((await reveal()).code).toBe('not-found')
    } finally {
      await agent.stop()
    }
  })

  test('reads the secret file again', () => {
    const file = path.join(folder, 'secret')
    const [first, second] = ['f'.repeat(40), 's'.repeat(40)]
    fs.writeFileSync(file, first)
    const keeper = new SecretKeeper(folder, file, first)
    expect(keeper.refresh()).toBe(false)
    fs.writeFileSync(file, second)
    expect([keeper.refresh(), keeper.checker.matches(second), keeper.checker.matches(first)]).toEqual([
      true,
      true,
      true,
    ])
    fs.writeFileSync(file, 'short')
    expect(() => keeper.refresh()).toThrow('fewer than 32 bytes')
    expect(keeper.checker.matches(second)).toBe(true)
  })
})

test('a pipe that the secret came through is not read again: nobody may write to it any more', async () => {
  const file = path.join(folder, 'secret')
  spawnSync('mkfifo', [file])
  // Whoever reads it after all gets nothing from this, instead of waiting for ever.
  const writer = spawn('sh', ['-c', ': > "$0"', file])
  const [given, next] = ['g'.repeat(40), 'n'.repeat(40)]
  const keeper = new SecretKeeper(folder, file, given)
  expect(keeper.refresh()).toBe(false)
  expect(await keeper.rotate(given, next)).toContain('data folder')
  expect(keeper.refresh()).toBe(false)
  expect(writer.exitCode).toBeNull()
  writer.kill()
})

describe('a shutdown', () => {
  test('runs the command of this machine, without a shell, and is audited as a stop', async () => {
    const proof = path.join(folder, 'off')
    const rig = await start({ PILOTHOUSE_SHUTDOWN_COMMAND: `touch '${proof}' '${proof} ; $(id)'` })
    expect((await rig.client.call('machine.shutdown')).success).toBe(true)
    expect(fs.readdirSync(folder).sort()).toEqual(['off', 'off ; $(id)'])
    const { entries } = await rig.client.call('audit.list', { action: 'stop' })
    expect(entries[0]).toMatchObject({ result: 'success', operator: 'Tester', details: { of: 'machine' } })
  })

  test('that is refused says so, with what to do', async () => {
    const refused = await start({ PILOTHOUSE_SHUTDOWN_COMMAND: `sh -c 'echo not root >&2; exit 1'` })
    const problem = await problemOf(refused.client.call('machine.shutdown'))
    expect([problem.code, problem.message]).toEqual(['forbidden', expect.stringContaining('not root')])
    const missing = await start({ PILOTHOUSE_SHUTDOWN_COMMAND: 'no-such-program' })
    expect((await problemOf(missing.client.call('machine.shutdown'))).code).toBe('install-required')
  })
})

describe('a screenshot', () => {
  test('without a browser is a conflict', async () => {
    const rig = await start()
    expect((await problemOf(rig.client.call('machine.screenshot'))).status).toBe(409)
  })

  test('is a PNG of the page, and is audited', async () => {
    const rig = await start()
    await rig.client.call('browser.start', { headless: true, url: 'data:text/html,<body style="background:red">' })
    const { contentType, bytes } = await rig.client.call('machine.screenshot')
    expect(contentType).toBe('image/png')
    expect(Buffer.from(bytes).subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
    const { entries } = await rig.client.call('audit.list', { action: 'screenshot' })
    expect(entries[0]?.result).toBe('success')
  })
})

test('an agent without the native part says how to get it', async () => {
  const bundle = path.join(folder, 'agent.mjs')
  fs.copyFileSync(await builtAgent(), bundle)
  const child = spawn(nodeProgram, [bundle, 'doctor'], {
    env: { PATH: process.env['PATH'], PILOTHOUSE_DATA_DIR: folder },
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += String(chunk)
  })
  await new Promise((resolve) => child.once('close', resolve))
  expect(said).toMatch(/✗ pty/)
  expect(said).toContain(`npm install --prefix ${JSON.stringify(folder)} @lydell/node-pty@`)
})
