import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { type Dockerd, noDockerd, startDockerd } from '../../e2e/rigs/dockerd.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { until } from '../../e2e/rigs/until.ts'
import { openReader } from './test-reader.ts'

let dockerd: Dockerd
let agent: TestAgent

beforeAll(async () => {
  if (noDockerd !== undefined) return
  dockerd = await startDockerd()
  await dockerd.importBusybox('test')
  agent = await startTestAgent({ DOCKER_HOST: `unix://${dockerd.socketPath}` })
}, 120_000)

afterAll(async () => {
  await agent?.stop()
  await dockerd?.stop()
}, 60_000)

// A daemon that has to kill what a failed test left would take longer to end than anyone waits for it.
afterEach(async () => {
  const left = (await dockerd?.docker('ps', '-aq'))?.split('\n').filter(Boolean) ?? []
  if (left.length > 0) await dockerd.docker('rm', '-f', ...left)
})

let names = 0
const fresh = (word: string) => `${word}-${++names}`
const run = (name: string, script: string, ...options: string[]) =>
  dockerd.docker('run', '-d', '--network=none', '--name', name, ...options, 'test', 'sh', '-c', script)
const finished = (name: string) => dockerd.docker('wait', name)
const get = (service: string, more: { lines?: number; since?: string; search?: string } = {}) =>
  agent.client.call('logs.get', { service, ...more })

// json-file is read from Docker's own files; for the others Docker is asked.
describe.skipIf(noDockerd !== undefined).each(['json-file', 'local'])('logs kept by %s', (driver) => {
  const log = ['--log-driver', driver]

  test('history has the lines, their order, levels and nanoseconds', async () => {
    const name = fresh('history')
    await run(name, 'seq 1 1000; echo "[ERROR] no" >&2; echo \'{"level":40,"msg":"hm"}\'', ...log)
    await finished(name)
    const { lines, service, truncated } = await get(name, { lines: 5000 })
    expect(service).toBe(name)
    expect(truncated).toBe(false)
    expect(lines.filter(({ level }) => level === undefined).map(({ message }) => message)).toEqual(
      Array.from({ length: 1000 }, (_, index) => String(index + 1)),
    )
    expect(lines.flatMap(({ level }) => level ?? []).sort()).toEqual(['error', 'warn'])
    expect(lines.every(({ timestamp }) => /\.\d{9}Z$/.test(timestamp))).toBe(true)
    const last = await get(name, { lines: 10 })
    expect(last.truncated).toBe(true)
    expect(last.lines).toEqual(lines.slice(-10))
    const found = await get(name, { search: '99' })
    expect(found.lines.map(({ message }) => message)).toEqual([
      '99',
      '199',
      '299',
      '399',
      '499',
      '599',
      '699',
      '799',
      '899',
      '990',
      '991',
      '992',
      '993',
      '994',
      '995',
      '996',
      '997',
      '998',
      '999',
    ])
    const middle = lines[500]?.timestamp ?? ''
    const later = await get(name, { lines: 5000, since: middle })
    expect(later.lines).toEqual(lines.filter(({ timestamp }) => timestamp >= middle))
    expect(later.truncated).toBe(false)
  })

  test.each([false, true])('long lines, garbage and traces arrive whole (terminal: %s)', async (tty) => {
    const name = fresh('odd')
    const script = [
      'busybox dd if=/dev/zero bs=1024 count=1024 2>/dev/null | busybox tr "\\0" x; echo',
      'busybox printf "\\377\\376\\000\\033[31m\\302\\205ok\\n"',
      'busybox printf "Error: no\\n    at f (a.js:1:2)\\n    at g (b.js:3:4)\\n"',
      'busybox printf "unended"',
    ]
    await run(name, script.join(';'), ...log, ...(tty ? ['-t'] : []))
    await finished(name)
    const { lines } = await get(name)
    expect(lines.map(({ message }) => message.replace(/x+/, (all) => `${all.length} x`))).toEqual([
      '1048576 x',
      '\ufffd\ufffd\u0000\u001b[31m\u0085ok',
      'Error: no\n    at f (a.js:1:2)\n    at g (b.js:3:4)',
      'unended',
    ])
    const reader = await openReader(agent.client, { service: name, since: '2020-01-01T00:00:00Z', batch: true })
    await until('the same lines from the socket', () => reader.lines.length === 4)
    expect(reader.lines).toEqual(lines)
    reader.socket.close()
  })

  test('a stream goes on through stop, start and replacement, and says so', async () => {
    const name = fresh('api')
    const script = 'echo up $HOSTNAME; while busybox usleep 20000; do echo tick; done'
    await run(name, script, ...log)
    const reader = await openReader(agent.client, { service: name, since: '2020-01-01T00:00:00Z' })
    const ups = () => reader.lines.filter(({ message }) => message.startsWith('up ')).length
    await until('the first run', () => ups() === 1)
    await dockerd.docker('restart', '-t', '0', name)
    await until('the second run', () => ups() === 2)
    await dockerd.docker('rm', '-f', name)
    await run(name, script, ...log)
    await until('the successor', () => ups() === 3)
    await until('word of it', () =>
      reader.notices.some((notice) => notice.includes('replaced') || notice.includes('joined')),
    )
    // First what the reader has: the container goes on meanwhile.
    const own = reader.lines.slice(reader.lines.map(({ message }) => message.startsWith('up ')).lastIndexOf(true))
    const { lines } = await get(name, { lines: 5000 })
    expect(lines.slice(0, own.length).map(({ timestamp }) => timestamp)).toEqual(own.map(({ timestamp }) => timestamp))
    reader.socket.close()
    await dockerd.docker('rm', '-f', name)
  })

  test('resumed again and again under load, no line is lost or doubled', async () => {
    const name = fresh('counter')
    const total = times(16_000, 60_000)
    const script = `i=0; while [ $i -lt ${total} ]; do j=$((i+200)); seq $((i+1)) $j; i=$j; busybox usleep 15000; done; sleep 1000`
    await run(name, script, ...log)
    const seen: number[] = []
    let since = '2020-01-01T00:00:00Z'
    let connections = 0
    while (seen.at(-1) !== total) {
      const reader = await openReader(agent.client, { service: name, since, batch: connections % 2 === 0 })
      const wanted = Math.min(total - seen.length, 50 + ((connections * 577) % 900))
      await until('more lines', () => reader.lines.length >= wanted)
      reader.socket.close()
      await reader.socket.closed
      seen.push(...reader.lines.map(({ message }) => Number(message)))
      since = reader.position() ?? since
      connections++
    }
    expect(connections).toBeGreaterThan(times(2, 10))
    expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1))
    await dockerd.docker('rm', '-f', name)
  })

  test('a reader that does not read is told exactly how much it missed', async () => {
    const name = fresh('flood')
    const total = times(120_000, 200_000)
    await run(
      name,
      `cat /dev/null; while [ ! -e /go ]; do busybox usleep 10000; done; seq 1000000 ${1_000_000 + total - 1}; echo done; sleep 1000`,
      ...log,
    )
    const slow = await openReader(agent.client, { service: name, batch: true })
    const quick = await openReader(agent.client, { service: name, batch: true })
    slow.socket.send({ type: 'ping' })
    await until('the subscriptions', () => slow.messages.length > 0)
    slow.socket.pause()
    await dockerd.docker('exec', name, 'busybox', 'touch', '/go')
    await until('the flood at the reader that reads', () => quick.lines.at(-1)?.message === 'done', 40_000)
    slow.socket.resume()
    await until('the rest', () => slow.lines.length + slow.dropped >= total + 1, 60_000)
    expect(slow.lines.length + slow.dropped).toBe(total + 1)
    expect(quick.dropped).toBe(0)
    expect(quick.lines).toHaveLength(total + 1)
    slow.socket.close()
    quick.socket.close()
    await dockerd.docker('rm', '-f', name)
  })
})

describe.skipIf(noDockerd !== undefined)('logs', () => {
  test('go on through rotation of their files', async () => {
    const name = fresh('rotated')
    const total = 20_000
    const script = `i=0; while [ $i -lt ${total} ]; do j=$((i+100)); seq $((i+1)) $j; i=$j; busybox usleep 4000; done; sleep 1000`
    const options = ['--log-opt', 'max-size=64k', '--log-opt', 'max-file=30']
    await run(name, script, ...options)
    const reader = await openReader(agent.client, { service: name, since: '2020-01-01T00:00:00Z', batch: true })
    await until('all lines', () => reader.lines.at(-1)?.message === String(total), 60_000)
    expect(reader.lines.map(({ message }) => Number(message))).toEqual(
      Array.from({ length: total }, (_, index) => index + 1),
    )
    reader.socket.close()
    const { lines } = await get(name, { lines: 1500 })
    expect(lines.map(({ message }) => Number(message))).toEqual(
      Array.from({ length: 1500 }, (_, index) => total - 1499 + index),
    )
    await dockerd.docker('rm', '-f', name)
  })

  test('of all workers come as one, in order of time', async () => {
    const workers = [fresh('ghosthands-worker'), fresh('ghosthands-worker')]
    for (const worker of workers) {
      const script = 'for i in $(seq 1 50); do echo $i; busybox usleep 5000; done; sleep 1000'
      await run(worker, script, '--label', 'gh.managed=true', '--label', 'gh.service=worker')
    }
    const reader = await openReader(agent.client, { service: 'worker', since: '2020-01-01T00:00:00Z' })
    await until('all lines', () => reader.lines.length === 100)
    const times = reader.lines.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort())
    expect([...new Set(reader.lines.map(({ container }) => container))].sort()).toEqual(workers)
    expect(reader.lines.every(({ service }) => service === 'worker')).toBe(true)
    const { lines } = await get('worker')
    expect(lines).toEqual(reader.lines)
    reader.socket.close()
    await dockerd.docker('rm', '-f', ...workers)
  })

  test('of a service that is not there yet are waited for; of something unknown are refused', async () => {
    const waiting = await openReader(agent.client, { service: 'api' })
    waiting.socket.send({ type: 'ping' })
    await until('the answer', () => waiting.messages.length > 0)
    expect(waiting.errors).toEqual([])
    const name = fresh('ghosthands-api')
    await run(name, 'echo up; sleep 1000', '--label', 'gh.managed=true', '--label', 'gh.service=api')
    await until('its first line', () => waiting.lines[0]?.message === 'up')
    waiting.socket.send({ type: 'subscribe', service: 'nobody' })
    await until('the refusal', () => waiting.errors.some((error) => error.includes('"nobody"') && error.includes(name)))
    waiting.socket.send({ type: 'subscribe', service: name, since: 'yesterday' })
    await until('the second refusal', () => waiting.errors.some((error) => error.includes('since')))
    waiting.socket.close()
    await expect(get('nobody')).rejects.toMatchObject({ code: 'not-found' })
    await dockerd.docker('rm', '-f', name)
  })

  test('that Docker does not keep are said to be so, once', async () => {
    const name = fresh('mute')
    await run(name, 'echo unheard; sleep 1000', '--log-driver', 'none')
    await expect(get(name)).rejects.toMatchObject({ code: 'docker-refused' })
    const reader = await openReader(agent.client, { service: name })
    await until('word of it', () =>
      reader.notices.some((notice) => notice.includes(`The log of ${name} cannot be read`)),
    )
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(reader.notices).toHaveLength(1)
    reader.socket.close()
    await dockerd.docker('rm', '-f', name)
  })

  test('that Docker has compressed are there as well, in history and stream', async () => {
    const name = fresh('packed')
    const options = ['max-size=20k', 'max-file=5', 'compress=true'].flatMap((option) => ['--log-opt', option])
    await run(name, 'for i in $(seq 1 600); do echo $i; busybox usleep 1000; done', ...options)
    await finished(name)
    const kept = (await dockerd.docker('logs', name)).split('\n').filter(Boolean)
    const { lines } = await get(name, { lines: 5000 })
    expect(lines.map(({ message }) => message)).toEqual(kept)
    const reader = await openReader(agent.client, { service: name, since: '2020-01-01T00:00:00Z', batch: true })
    await until('the last', () => reader.lines.at(-1)?.message === '600')
    expect(reader.lines).toEqual(lines)
    reader.socket.close()
    await dockerd.docker('rm', '-f', name)
  })

  test('end with "unsubscribe", and the service of the address is subscribed at once', async () => {
    const name = fresh('talker')
    await run(name, 'while busybox usleep 10000; do echo tick; done')
    const socket = await agent.client.open('logs', { service: name })
    let lines = 0
    let pongs = 0
    socket.onMessage = (message) => {
      if (message.type === 'log') lines++
      if (message.type === 'pong') pongs++
    }
    await until('lines', () => lines > 3)
    socket.send({ type: 'unsubscribe' })
    socket.send({ type: 'ping' })
    await until('the pong', () => pongs === 1)
    const before = lines
    socket.send({ type: 'ping' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await until('the pong', () => pongs === 2)
    expect(lines).toBe(before)
    socket.close()
    await dockerd.docker('rm', '-f', name)
  })

  test.each(['json-file', 'local'])(
    'kept by %s go on when Docker restarts',
    async (driver) => {
      const name = fresh('survivor')
      // A daemon that has to kill its containers takes longer than the rig waits for it.
      const script = 'trap exit TERM; while busybox usleep 20000; do i=$((i+1)); echo $i; done'
      await run(name, script, '--log-driver', driver, '--restart', 'always')
      const reader = await openReader(agent.client, { service: name, since: '2020-01-01T00:00:00Z' })
      await until('lines', () => reader.lines.length > 10)
      await dockerd.down()
      await until('word of it', () => reader.notices.some((notice) => notice.includes('Docker does not answer')))
      await dockerd.up()
      await until('word of that', () => reader.notices.some((notice) => notice.includes('Docker is back')))
      const firsts = () => reader.lines.filter(({ message }) => message === '1').length
      await until('lines of the second run', () => firsts() >= 2 && Number(reader.lines.at(-1)?.message) > 10)
      const runs = reader.lines.map(({ message }) => Number(message))
      for (const [index, number] of runs.entries()) {
        if (index > 0 && number !== 1) expect(number).toBe((runs[index - 1] ?? 0) + 1)
      }
      reader.socket.close()
      await dockerd.docker('rm', '-f', name)
    },
    120_000,
  )
})
