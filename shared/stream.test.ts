import { once } from 'node:events'
import { type MessagePort, MessageChannel as NodeMessageChannel } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { highWaterBytes, PortStream } from './stream.ts'

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

function streamOn(port: MessagePort): PortStream {
  return new PortStream(port, (handler) => port.on('message', handler))
}

function pair() {
  const { port1, port2 } = new NodeMessageChannel()
  ports.push(port1, port2)
  return { near: streamOn(port1), far: streamOn(port2), port1, port2 }
}

test('bytes and text arrive in order', async () => {
  const { near, far } = pair()
  const got: string[] = []
  far.onBytes = (bytes) => void got.push(`bytes ${[...bytes]}`)
  far.onText = (text) => void got.push(`text ${text}`)
  near.sendBytes(Uint8Array.of(1, 2))
  near.sendText('ä')
  near.sendBytes(Uint8Array.of(3))
  await vi.waitFor(() => expect(got).toEqual(['bytes 1,2', 'text ä', 'bytes 3']))
})

test('a slice of a buffer travels alone, without the bytes around it', async () => {
  const { near, far } = pair()
  const received = new Promise<Uint8Array>((resolve) => {
    far.onBytes = resolve
  })
  near.sendBytes(Buffer.from('secret|frame|secret').subarray(7, 12))
  const bytes = await received
  expect(Buffer.from(bytes).toString()).toBe('frame')
  expect(bytes.buffer.byteLength).toBe(5)
})

test('a sender is told to wait at the high-water mark, and to go on once the other side took it', async () => {
  const { near, far } = pair()
  let release = () => {}
  const busy = new Promise<void>((resolve) => {
    release = resolve
  })
  far.onBytes = () => busy
  const drained = vi.fn()
  near.onDrain = drained
  const chunk = new Uint8Array(512 * 1024)
  const answers = Array.from({ length: highWaterBytes / chunk.length }, () => near.sendBytes(chunk))
  expect(answers).toEqual([true, true, true, false])
  expect(near.writable).toBe(false)
  // A round trip of another frame proves that nothing was acknowledged meanwhile.
  const echoed = new Promise<void>((resolve) => {
    near.onText = () => resolve()
  })
  far.sendText('are you there')
  await echoed
  expect(drained).not.toHaveBeenCalled()
  release()
  await vi.waitFor(() => expect(drained).toHaveBeenCalledTimes(1))
  expect(near.writable).toBe(true)
  await vi.waitFor(() => expect(near.sendBytes(new Uint8Array(highWaterBytes - 1))).toBe(true))
})

test('many small frames are acknowledged too', async () => {
  const { near, far } = pair()
  far.onBytes = () => {}
  const drained = vi.fn()
  near.onDrain = drained
  const small = new Uint8Array(64 * 1024)
  let sent = 0
  while (near.sendBytes(small)) sent++
  expect(sent).toBe(highWaterBytes / small.length - 1)
  await vi.waitFor(() => expect(drained).toHaveBeenCalled())
})

test('closing one side closes the other with its code, once', async () => {
  const { near, far } = pair()
  const closed = vi.fn()
  far.onClose = closed
  near.close(4001, 'lease ended')
  near.close(1000)
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1))
  expect(closed).toHaveBeenCalledWith(4001, 'lease ended')
  expect(far.closed).toBe(true)
  expect(near.sendBytes(Uint8Array.of(1))).toBe(false)
})

test('a port that went away ends the stream as an abnormal close', async () => {
  const { near, port1, port2 } = pair()
  const closed = vi.fn()
  near.onClose = closed
  port1.on('close', () => near.lost())
  port2.close()
  await once(port1, 'close')
  expect(closed).toHaveBeenCalledExactlyOnceWith(1006, expect.any(String))
  near.lost()
  expect(closed).toHaveBeenCalledTimes(1)
})

test('a message that is no frame, and a receiver that fails, close the stream instead of throwing', async () => {
  for (const message of [null, 7, { t: 'bytes', data: 'text' }, { t: 'ack', bytes: Number.NaN }, { t: 'else' }]) {
    const { near, port2 } = pair()
    const closed = vi.fn()
    near.onClose = closed
    port2.postMessage(message)
    await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1002, expect.any(String)))
  }
  const { near, far } = pair()
  far.onText = () => Promise.reject(new Error('broken'))
  const closed = vi.fn()
  near.onClose = closed
  near.sendText('x')
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1011, expect.any(String)))
})
