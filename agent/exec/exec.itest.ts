import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { isRunning } from '../../e2e/rigs/processes.ts'
import { rawRequest } from '../../e2e/rigs/raw-http.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { AgentSocket } from '../../shared/client/socket.ts'
import type { SocketReceive } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'

const agents: TestAgent[] = []
async function start(env: Record<string, string> = {}): Promise<TestAgent> {
  const rig = await startTestAgent(env)
  agents.push(rig)
  return rig
}
let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('exec'))
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
const pidIn = (name: string) =>
  until(`a pid in ${name}`, () => Number(fs.readFileSync(path.join(folder, name), 'utf8')) || undefined)
const gone = (pid: number) => until(`the end of ${pid}`, () => !isRunning(pid))
/** A program, a child of it, and a grandchild that left the group, each with its pid in a file; none ends by itself. */
const family = (dir: string) =>
  `sh -c 'trap "" TERM; echo $$ > ${dir}/one; sh -c "echo \\$\\$ > ${dir}/two; exec sleep 1000" & setsid sh -c "echo \\$\\$ > ${dir}/three; exec sleep 1000" & wait; sleep 1000'`

describe('a command', () => {
  test('runs where the agent’s user has no home', async () => {
    vi.stubEnv('HOME', '/nonexistent')
    try {
      const { client } = await start()
      expect((await client.call('exec.run', { command: 'pwd' })).stdout).toBe('/\n')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('gives its output and its exit code', async () => {
    const { client } = await start()
    const done = await client.call('exec.run', { command: `sh -c 'echo "grüße 🚢"; echo bad >&2; exit 3'` })
    expect(done).toMatchObject({
      exitCode: 3,
      stdout: 'grüße 🚢\n',
      stderr: 'bad\n',
      truncated: false,
      timedOut: false,
    })
  })

  test('that waits for input gets its end, not a hang', async () => {
    const { client } = await start()
    const read = `sh -c 'read line; echo "got $? [$line]"; test -t 0 || echo "no terminal"'`
    expect((await client.call('exec.run', { command: read })).stdout).toBe('got 1 []\nno terminal\n')
    expect(await client.call('exec.run', { command: 'cat' })).toMatchObject({
      exitCode: 0,
      stdout: '',
      timedOut: false,
    })
    // As editors and pagers do, when what they were given is no terminal.
    const readAnyway = `sh -c 'read line <&2; echo "got $?" >&2; read line <&1; echo "got $?"'`
    expect(await client.call('exec.run', { command: readAnyway })).toMatchObject({
      stdout: 'got 1\n',
      stderr: 'got 1\n',
    })
  })

  test('with metacharacters runs nothing but itself', async () => {
    const { client } = await start()
    const canary = path.join(folder, 'ran')
    const attempts = [
      `echo x; touch ${canary}`,
      `echo x && touch ${canary}`,
      `echo x | touch ${canary}`,
      `echo $(touch ${canary})`,
      `echo \`touch ${canary}\``,
      `echo x > ${canary}`,
      `echo x & touch ${canary}`,
      `echo "$(touch ${canary})" \n touch ${canary}`,
    ]
    for (const command of attempts) await client.call('exec.run', { command })
    expect(fs.existsSync(canary)).toBe(false)
    const literal = await client.call('exec.run', { command: 'echo $HOME *; ~' })
    expect(literal.stdout).toBe('$HOME *; ~\n')
  })

  test('sees none of the settings of the agent', async () => {
    const secrets = { PILOTHOUSE_CANARY: 'canary', ONE_API_KEY: 'canary', OTHER_TOKEN: 'canary-other' }
    Object.assign(process.env, secrets)
    try {
      const { client } = await start()
      const { stdout } = await client.call('exec.run', { command: 'env' })
      expect(stdout).toContain('HOME=')
      expect(stdout).not.toMatch(/PILOTHOUSE|canary/)
      const { client: told } = await start({ PILOTHOUSE_COMMAND_ENV: 'OTHER_TOKEN' })
      expect((await told.call('exec.run', { command: 'env' })).stdout.match(/.*canary.*/g)).toEqual([
        'OTHER_TOKEN=canary-other',
      ])
    } finally {
      for (const name of Object.keys(secrets)) delete process.env[name]
    }
  })

  test('prints 1 MiB at most, in whole letters, and is left to end by itself', async () => {
    const { client } = await start()
    const done = await client.call('exec.run', { command: `sh -c 'yes ü | head -c 3000000; exit 5'` })
    expect([done.exitCode, done.truncated]).toEqual([5, true])
    expect(Buffer.byteLength(done.stdout)).toBeLessThanOrEqual(1024 * 1024)
    expect(done.stdout).not.toContain('\ufffd')
  })

  test('that takes too long is ended with all it started', async () => {
    const { client } = await start()
    const done = await client.call('exec.run', { command: family(folder), timeout_ms: 1500 })
    expect(done).toMatchObject({ timedOut: true, exitCode: null })
    for (const name of ['one', 'two', 'three']) await gone(await pidIn(name))
  })

  test('that left its group and still writes is not over, and is ended when its time is', async () => {
    const { client } = await start()
    const late = await client.call('exec.run', { command: `setsid sh -c 'sleep 1.5; echo late'` })
    expect(late).toMatchObject({ stdout: 'late\n', exitCode: 0, timedOut: false })
    const command = `setsid sh -c 'trap "" TERM; echo $$ > ${folder}/left; while :; do sleep 1000; done'`
    const done = await client.call('exec.run', { command, timeout_ms: 1500 })
    expect(done).toMatchObject({ timedOut: true, exitCode: null })
    await gone(await pidIn('left'))
  })

  test('that a signal ends says which', async () => {
    const { client } = await start()
    const told = await client.call('exec.run', { command: `sh -c 'kill -9 $$'` })
    expect(told).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false })
    expect(await client.call('exec.run', { command: 'true' })).toMatchObject({ exitCode: 0, signal: null })
    const { entries } = await client.call('audit.list', { action: 'exec' })
    expect(entries.map(({ details }) => details['signal'])).toEqual([undefined, 'SIGKILL'])
    const socket = await client.open('exec', { command: `sh -c 'kill -SEGV $$'` })
    let last: unknown
    socket.onMessage = (message) => {
      last = message
    }
    await socket.closed
    expect(last).toMatchObject({ type: 'exit', exitCode: null, signal: 'SIGSEGV' })
  })

  test('is ended when the client goes away', async () => {
    const { client } = await start()
    const leave = new AbortController()
    const call = problemOf(client.call('exec.run', { command: family(folder) }, { signal: leave.signal }))
    const pids = await Promise.all(['one', 'two', 'three'].map(pidIn))
    leave.abort()
    expect((await call).code).toBe('cancelled')
    for (const pid of pids) await gone(pid)
  })

  test('is ended with the agent', async () => {
    const rig = await start()
    const call = rig.client.call('exec.run', { command: family(folder) }).catch(() => {})
    const pids = await Promise.all(['one', 'two', 'three'].map(pidIn))
    await rig.agent.stop('test')
    for (const pid of pids) expect(isRunning(pid)).toBe(false)
    await call
  })

  test('that has ended leaves no job behind, but the service it started', async () => {
    const { client } = await start()
    const command = `sh -c 'sleep 1000 & echo $! > ${folder}/job; setsid sh -c "echo \\$\\$ > ${folder}/service; exec sleep 1000" >/dev/null 2>&1 & until [ -s ${folder}/service ]; do sleep 0.05; done'`
    const done = await client.call('exec.run', { command })
    expect(done).toMatchObject({ exitCode: 0, timedOut: false })
    await gone(await pidIn('job'))
    const service = await pidIn('service')
    expect(isRunning(service)).toBe(true)
    process.kill(service, 'SIGKILL')
  })

  test('stands in the audit log without its password', async () => {
    const { client } = await start()
    await client.call('exec.run', { command: 'echo --password=canary DB_TOKEN=canary shown' })
    const { entries } = await client.call('audit.list', { action: 'exec' })
    expect(entries[0]).toMatchObject({ result: 'success', operator: 'Tester', details: { exitCode: 0 } })
    expect(JSON.stringify(entries)).not.toContain('canary')
    expect(JSON.stringify(entries)).toContain('shown')
  })
})

describe('what is refused', () => {
  test('says why', async () => {
    const { client } = await start()
    const refused = async (command: string) => {
      const { status, code } = await problemOf(client.call('exec.run', { command }))
      return [status, code]
    }
    expect(await refused(`echo 'a`)).toEqual([400, 'bad-request'])
    expect(await refused('./run')).toEqual([400, 'bad-request'])
    expect(await refused('no-such-program-here')).toEqual([404, 'not-found'])
    expect(await refused(' ')).toEqual([400, 'invalid-params'])
    expect(await refused('x'.repeat(2001))).toEqual([400, 'invalid-params'])
  })

  test('an allow-list lets through its names and paths, and no namesake', async () => {
    const fake = path.join(folder, 'echo')
    fs.writeFileSync(fake, '#!/bin/sh\ntouch ran\n', { mode: 0o755 })
    const { client } = await start({ PILOTHOUSE_EXEC_ALLOW: 'echo,/bin/sh' })
    expect((await client.call('exec.run', { command: 'echo yes' })).stdout).toBe('yes\n')
    expect((await client.call('exec.run', { command: '/bin/sh -c true' })).exitCode).toBe(0)
    for (const command of [fake, 'id', '/usr/bin/id']) {
      expect((await problemOf(client.call('exec.run', { command }))).code).toBe('forbidden')
    }
    const { client: none } = await start({ PILOTHOUSE_EXEC_ALLOW: '' })
    expect((await problemOf(none.call('exec.run', { command: 'echo' }))).code).toBe('forbidden')
  })

  test('the eleventh in a minute, of calls and sockets together, with Retry-After', async () => {
    const rig = await start()
    for (let i = 0; i < 8; i++) await rig.client.call('exec.run', { command: 'true' })
    for (let i = 0; i < 2; i++) await (await rig.client.open('exec', { command: 'true' })).closed
    const problem = await problemOf(rig.client.open('exec', { command: 'true' }))
    expect(problem.code).toBe('too-many-requests')
    const headers = { authorization: `Bearer ${rig.secret}`, 'content-type': 'application/json' }
    const answer = await new Promise<http.IncomingMessage>((resolve) => {
      const options = { port: rig.port, method: 'POST', path: '/exec', headers, agent: false as const }
      http.request({ host: '127.0.0.1', ...options }, resolve).end('{"command":"true"}')
    })
    answer.resume()
    expect(answer.statusCode).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    const metrics = await fetch(`http://127.0.0.1:${rig.port}/metrics`, { headers: { accept: 'text/plain' } })
    expect(await metrics.text()).toContain('pilothouse_execs_total 10\n')
  })
})

describe('the stream of a command', () => {
  const collect = (socket: AgentSocket<'exec'>) => {
    const messages: SocketReceive<'exec'>[] = []
    socket.onMessage = (message) => messages.push(message)
    return messages
  }
  const text = (messages: SocketReceive<'exec'>[], type: 'stdout' | 'stderr') =>
    messages.flatMap((message) => (message.type === type ? message.data : [])).join('')

  test('brings output as it comes, then the exit code', async () => {
    const { client } = await start()
    const socket = await client.open('exec', { command: `sh -c 'echo one; echo two >&2; exit 4'` })
    const messages = collect(socket)
    await socket.closed
    expect([text(messages, 'stdout'), text(messages, 'stderr')]).toEqual(['one\n', 'two\n'])
    expect(messages.at(-1)).toEqual({ type: 'exit', exitCode: 4, signal: null, timedOut: false, truncated: false })
  })

  test.each(['cancel', 'disconnect'])('%s ends the command with all it started', async (way) => {
    const { client } = await start()
    const socket = await client.open('exec', { command: family(folder) })
    const pids = await Promise.all(['one', 'two', 'three'].map(pidIn))
    if (way === 'cancel') socket.send({ type: 'cancel' })
    else socket.close()
    for (const pid of pids) await gone(pid)
  })

  test('ends with the Close frame, also where the client leaves its connection open', async () => {
    const rig = await start()
    const headers = [
      ...['Host: localhost', `Authorization: Bearer ${rig.secret}`, 'Connection: Upgrade', 'Upgrade: websocket'],
      ...['Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`],
    ]
    const client = net.connect({ host: '127.0.0.1', port: rig.port, allowHalfOpen: true }).resume()
    client.write(rawRequest(`GET /ws/exec?command=${encodeURIComponent(family(folder))} HTTP/1.1`, headers))
    const pids = await Promise.all(['one', 'two', 'three'].map(pidIn))
    // Code 1000, with a mask of zeros.
    client.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]))
    for (const pid of pids) await gone(pid)
    expect(client.writable).toBe(true)
    client.destroy()
  })

  test('waits for a reader that does not read', async () => {
    const { client } = await start()
    const socket = await client.open('exec', { command: `sh -c 'head -c 1000000 /dev/zero | tr "\\0" x'` })
    const messages = collect(socket)
    socket.pause()
    await new Promise((resolve) => setTimeout(resolve, 300))
    socket.resume()
    await socket.closed
    expect(text(messages, 'stdout').length).toBe(1_000_000)
  })

  test('brings all of it to a slow reader, also what was in the pipe when the command ended', async () => {
    const { client } = await start()
    const socket = await client.open('exec', { command: `sh -c 'head -c 1000000 /dev/zero | tr "\\0" x'` })
    const messages = collect(socket)
    socket.pause()
    // A little at a time, with pauses that are longer than a pipe is waited for in vain.
    const turns = setInterval(() => {
      socket.resume()
      setImmediate(() => socket.pause())
    }, 800)
    await socket.closed
    clearInterval(turns)
    expect(text(messages, 'stdout').length).toBe(1_000_000)
    expect(messages.at(-1)).toMatchObject({ type: 'exit', truncated: false })
  })

  test('stands in the audit log with how it ended, and is pending until then', async () => {
    const { client } = await start()
    const last = async () => (await client.call('audit.list', { action: 'exec' })).entries[0]
    const socket = await client.open('exec', {
      command: `sh -c 'until [ -e ${folder}/go ]; do sleep 0.02; done; exit 4'`,
    })
    expect(await last()).toMatchObject({ result: 'pending', durationMs: null })
    fs.writeFileSync(path.join(folder, 'go'), '')
    await socket.closed
    expect(await last()).toMatchObject({ result: 'success', details: { exitCode: 4, timedOut: false } })
    expect((await last())?.durationMs).toBeGreaterThan(0)
    const cut = await client.open('exec', { command: 'sleep 1000' })
    cut.close()
    await until('the end of it in the audit', async () => (await last())?.details['exitCode'] === null)
  })

  test('is refused before it opens when the command is wrong', async () => {
    const { client, logged } = await start()
    expect(await problemOf(client.open('exec', { command: 'no-such-program' }))).toBeInstanceOf(Problem)
    expect(logged.filter((line) => line.includes('contract does not name'))).toEqual([])
  })
})
