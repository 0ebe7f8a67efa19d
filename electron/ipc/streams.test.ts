import { type MessagePort, MessageChannel as NodeMessageChannel } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AgentClient } from '../../shared/client/client.ts'
import type { TransportSocket } from '../../shared/client/transport.ts'
import { highWaterBytes, PortStream } from '../../shared/stream.ts'
import type { Caller } from './dispatch.ts'
import { type Channel, Streams } from './streams.ts'

/** The agent's end of a socket, as seen from the console. */
const agent = {
  paths: [] as string[],
  sent: [] as (string | Uint8Array)[],
  buffered: 0,
  paused: false,
  closed: undefined as number | undefined,
  socket: undefined as TransportSocket | undefined,
}
let lease: string | undefined
let leavePage = () => {}
let windowEnd: PortStream
let closed = vi.fn<(code: number, reason: string) => void>()
const ports: MessagePort[] = []

const transport = {
  request: () => Promise.reject(new Error('none here')),
  async socket(path: string): Promise<TransportSocket> {
    agent.paths.push(path)
    agent.socket = {
      send: (data) => void agent.sent.push(data),
      get bufferedBytes() {
        return agent.buffered
      },
      pause: () => {
        agent.paused = true
      },
      resume: () => {
        agent.paused = false
      },
      close: (code) => {
        agent.closed = code
      },
      onFrame: () => {},
      onClose: () => {},
    }
    return agent.socket
  },
  close: () => {},
}

const caller: Caller = {
  sendPort(_streamId, port) {
    const there = port as MessagePort
    windowEnd = new PortStream(there, (handler) => there.on('message', handler))
    closed = vi.fn<(code: number, reason: string) => void>()
    windowEnd.onClose = closed
    return true
  },
  onGone(callback) {
    leavePage = callback
    return () => {}
  },
}

function makeChannel(): Channel {
  const { port1, port2 } = new NodeMessageChannel()
  ports.push(port1, port2)
  const here = {
    postMessage: (message: unknown) => port1.postMessage(message),
    close: () => port1.close(),
    start: () => port1.start(),
    on(event: 'message' | 'close', listener: (message: { data: unknown }) => void) {
      port1.on(event, (data: unknown) => listener({ data }))
    },
  } as Channel['here']
  return { here, there: port2 }
}

let streams: Streams
beforeEach(() => {
  Object.assign(agent, { paths: [], sent: [], buffered: 0, paused: false, closed: undefined })
  lease = undefined
  streams = new Streams({ client: () => new AgentClient(transport), leaseId: () => lease, makeChannel })
})
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})
const open = (socket: string, params: Record<string, unknown> = {}) => streams.open('m1', socket, params, caller)

test('bytes go both ways', async () => {
  await open('vnc', { mode: 'view' })
  const got: number[][] = []
  windowEnd.onBytes = (bytes) => void got.push([...bytes])
  agent.socket?.onFrame(Uint8Array.of(1, 2, 3))
  windowEnd.sendBytes(Uint8Array.of(9))
  await vi.waitFor(() => expect([got, agent.sent]).toEqual([[[1, 2, 3]], [Uint8Array.of(9)]]))
  expect(streams.count).toBe(1)
})

test('control needs a lease, which main adds and a window can neither give nor see', async () => {
  await expect(open('vnc', { mode: 'control' })).rejects.toMatchObject({ code: 'lease-gone' })
  await expect(open('vnc', { mode: 'control', leaseId: 'stolen' })).rejects.toMatchObject({ code: 'invalid-params' })
  lease = 'lease-7'
  await open('vnc', { mode: 'control' })
  expect(agent.paths).toEqual(['/ws/vnc?mode=control&leaseId=lease-7'])
  await open('vnc', { mode: 'view' })
  expect(agent.paths[1]).toBe('/ws/vnc?mode=view')
})

test.each(['nope', '__proto__', 'toString', 'constructor'])('there is no stream %s', async (name) => {
  await expect(open(name)).rejects.toMatchObject({ code: 'unknown-route' })
})

test('parameters are checked before anything is connected', async () => {
  await expect(open('vnc', { mode: 'everything' })).rejects.toMatchObject({ code: 'invalid-params' })
  await expect(open('vnc', { extra: 1 })).rejects.toMatchObject({ code: 'invalid-params' })
  expect(agent.paths).toEqual([])
})

test('a window that does not keep up pauses the agent, and lets it go on when it does', async () => {
  await open('vnc')
  let release = () => {}
  const busy = new Promise<void>((resolve) => {
    release = resolve
  })
  windowEnd.onBytes = () => busy
  const chunk = new Uint8Array(highWaterBytes / 4)
  for (let i = 0; i < 3; i++) agent.socket?.onFrame(chunk)
  expect(agent.paused).toBe(false)
  agent.socket?.onFrame(chunk)
  expect(agent.paused).toBe(true)
  release()
  await vi.waitFor(() => expect(agent.paused).toBe(false))
})

test('a window is not acknowledged while the agent has not taken what was sent', async () => {
  await open('vnc')
  agent.buffered = 2 * 1024 * 1024
  const drained = vi.fn()
  windowEnd.onDrain = drained
  while (windowEnd.sendBytes(new Uint8Array(256 * 1024)));
  await vi.waitFor(() => expect(agent.sent.length).toBe(8))
  expect(windowEnd.writable).toBe(false)
  expect(drained).not.toHaveBeenCalled()
  agent.buffered = 0
  await vi.waitFor(() => expect(drained).toHaveBeenCalled())
})

test('what the contract does not allow from a window ends the stream', async () => {
  await open('vnc')
  windowEnd.sendText('{"type":"anything"}')
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1007, expect.any(String)))
  await open('vnc')
  windowEnd.sendBytes(new Uint8Array(1024 * 1024 + 1))
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1009, expect.any(String)))
  await open('events')
  windowEnd.sendBytes(Uint8Array.of(1))
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1003, expect.any(String)))
  expect(agent.sent).toEqual([])
  expect(streams.count).toBe(0)
})

test('it tells how many are open whenever that changes', async () => {
  const onCount = vi.fn()
  streams = new Streams({ client: () => new AgentClient(transport), leaseId: () => lease, makeChannel, onCount })
  await open('vnc')
  await open('events')
  windowEnd.close(1000)
  await vi.waitFor(() => expect(onCount.mock.calls).toEqual([[1], [2], [1]]))
  streams.closeAll()
  expect(onCount).toHaveBeenLastCalledWith(0)
})

test('the stream ends when the machine goes, when the page goes, and when the console ends', async () => {
  await open('vnc')
  agent.socket?.onClose(4001, 'lease ended')
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(4001, 'lease ended'))
  expect(streams.count).toBe(0)

  await open('vnc')
  leavePage()
  expect([agent.closed, streams.count]).toEqual([1000, 0])

  agent.closed = undefined
  await open('vnc')
  windowEnd.close(1000)
  await vi.waitFor(() => expect([agent.closed, streams.count]).toEqual([1000, 0]))

  await open('vnc')
  streams.closeAll()
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1001, expect.any(String)))
})
