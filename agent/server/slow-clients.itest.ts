import { randomBytes } from 'node:crypto'
import net from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { until } from '../../e2e/rigs/until.ts'
import { serverLimits } from './server.ts'

/** Clients that stop half-way, or drip. The limits are short here, so that nobody waits for them. */
let rig: TestAgent
beforeAll(async () => {
  rig = await startTestAgent(
    { PILOTHOUSE_SHELL: '/bin/sh' },
    { limits: { headersMs: 800, requestMs: 1200, pingMs: 800, closeMs: 300 } },
  )
})
afterAll(() => rig.stop())

test('an agent as it runs on a machine gives 10 s for headers and 20 s for the rest', () => {
  expect(serverLimits).toEqual({ headersMs: 10_000, requestMs: 20_000, pingMs: 20_000, closeMs: 5000 })
})

/** Says `first`, then a byte of `drip` every few milliseconds; all it was told until the agent closed. */
function speak(first: string, drip = ''): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(rig.port, '127.0.0.1')
    let text = ''
    let at = 0
    const timer = setInterval(() => {
      if (at < drip.length) socket.write(drip.charAt(at++))
    }, 20)
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    // A byte that was under way when it was closed.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(text)
    })
    socket.write(first)
  })
}

describe.concurrent('a client that is silent or slow is told so and closed', () => {
  test.each([
    ['says nothing', '', ''],
    ['stops in its headers', 'GET /health HTTP/1.1\r\nHost: loc', ''],
    ['stops after a line', 'POST /env HTTP/1.1\r\n', ''],
    ['drips its headers', 'GET /health HTTP/1.1\r\nHost: localhost\r\n', `X-Long: ${'x'.repeat(10_000)}`],
  ])('%s', async (_what, first, drip) => {
    expect(await speak(first, drip)).toContain('HTTP/1.1 408')
  })

  const post = () =>
    `POST /env HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.secret}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n`
  test.each([
    ['sends no body', ''],
    ['drips its body', ' '.repeat(10_000)],
  ])('%s', async (_what, drip) => {
    const before = (await rig.client.call('audit.list', { action: 'set_env' })).total
    expect(await speak(post(), drip)).toContain('HTTP/1.1 408')
    expect((await rig.client.call('audit.list', { action: 'set_env' })).total).toBe(before)
    expect(rig.logged.join('\n')).not.toContain('unexpected failure')
  })

  test('opens a socket and answers no ping', async () => {
    const socket = net.connect(rig.port, '127.0.0.1')
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    socket.write(
      `GET /ws/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.secret}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    await until('the socket', () => received.includes('101 Switching'))
    await closed
  })

  test('one that waits for us stays: a shell that reads nothing of what was pasted is no reason to cut it off', async () => {
    const socket = await rig.client.open('terminal', { cols: 80, rows: 24 })
    let shown = ''
    let closed = false
    socket.onBytes = (bytes) => {
      shown += Buffer.from(bytes).toString('latin1')
    }
    void socket.closed.then(() => {
      closed = true
    })
    socket.sendBytes(Buffer.from("stty -echo; echo 'be''gun'; sleep 4; echo 'aw''ake'\r"))
    await until('the shell', () => shown.includes('begun'))
    // Far more than a terminal holds, and in lines, since one that is too long is cut.
    for (let turn = 0; turn < 40; turn++) socket.sendBytes(Buffer.from(': nothing\r'.repeat(1000)))
    socket.sendBytes(Buffer.from("echo 'all''read'\r"))
    // Five pings later.
    await until('the shell to go on', () => shown.includes('awake') || closed)
    await until('all that was pasted', () => shown.includes('allread') || closed)
    expect(closed).toBe(false)
    socket.close()
  })

  test('one that is slow to take in a shell’s last words hears them all, and how it ended', async () => {
    const socket = await rig.client.open('terminal', { cols: 80, rows: 24 })
    let bytes = 0
    let exit: unknown
    // A little at a time, and for longer than a silent one would be waited for.
    const turns = setInterval(() => {
      socket.resume()
      setImmediate(() => socket.pause())
    }, 100)
    socket.onBytes = (more) => {
      bytes += more.length
    }
    socket.onMessage = (message) => {
      if (message.type === 'exit') exit = message
    }
    socket.sendBytes(Buffer.from("stty -echo -onlcr; yes 0123456 | head -c 1000000; printf 'the''end'; exit 3\r"))
    socket.pause()
    const { code } = await socket.closed
    clearInterval(turns)
    expect([code, exit]).toEqual([1000, { type: 'exit', exitCode: 3, signal: null }])
    expect(bytes).toBeGreaterThan(1_000_000)
  })

  test('one that does answer stays', async () => {
    const socket = await rig.client.open('events')
    let closed = false
    void socket.closed.then(() => {
      closed = true
    })
    let pongs = 0
    socket.onMessage = ({ type }) => {
      if (type === 'pong') pongs++
    }
    // Longer than three pings take.
    for (let turn = 0; turn < 25; turn++) {
      socket.send({ type: 'ping' })
      await until('its answer', () => pongs === turn + 1)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(closed).toBe(false)
    socket.close()
  })
})

test('clients that leave in the middle of a body are no fault of the agent', async () => {
  const head = `POST /env HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.secret}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"vars"`
  for (let times = 0; times < 10; times++) {
    const socket = net.connect(rig.port, '127.0.0.1')
    await new Promise((resolve) => socket.write(head, resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resetAndDestroy()
    await closed
  }
  expect(await rig.client.call('machine.health')).toMatchObject({ status: expect.any(String) })
  expect(rig.logged.join('\n')).not.toContain('unexpected failure')
})
