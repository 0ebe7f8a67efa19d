import { afterEach, expect, test } from 'vitest'
import { streamOver } from '../../app/streams.ts'
import { PortChannel } from './channel.ts'

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

function pair() {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  const near = streamOver(port1)
  const far = streamOver(port2)
  return { channel: new PortChannel(near), near, far }
}

/** Resolves with the first values a callback is given. */
function next<Value>(listen: (done: (value: Value) => void) => void): Promise<Value> {
  return new Promise((resolve) => listen(resolve))
}

test('it has every property that noVNC looks for', () => {
  const { channel } = pair()
  const found = [...Object.keys(channel), ...Object.getOwnPropertyNames(Object.getPrototypeOf(channel))]
  for (const name of ['send', 'close', 'binaryType', 'onerror', 'onmessage', 'onopen', 'protocol', 'readyState'])
    expect(found).toContain(name)
  expect(channel.readyState).toBe('open')
})

test('bytes that come before anyone listens are kept, in order', async () => {
  const { channel, near, far } = pair()
  far.sendBytes(new Uint8Array([1]))
  const second = next<void>((done) => {
    const deliver = near.onBytes
    let count = 0
    near.onBytes = (bytes) => {
      const handled = deliver(bytes)
      if (++count === 2) done()
      return handled
    }
  })
  far.sendBytes(new Uint8Array([2]))
  await second
  const got: number[] = []
  channel.onmessage = ({ data }) => got.push(...new Uint8Array(data))
  expect(got).toEqual([1, 2])
})

test('what is sent is a copy of exactly those bytes, whatever lies around them', async () => {
  const { channel, far } = pair()
  const buffer = new Uint8Array(10_240)
  buffer.set([7, 8, 9])
  const arrived = next<Uint8Array>((done) => {
    far.onBytes = done
  })
  channel.send(new Uint8Array(buffer.buffer, 0, 3))
  buffer.fill(0)
  const bytes = await arrived
  expect([...bytes]).toEqual([7, 8, 9])
  expect(bytes.buffer.byteLength).toBe(3)
})

test('closing tells the other side, and the owner after the call has returned', async () => {
  const { channel, far } = pair()
  const farClosed = next<number>((done) => {
    far.onClose = done
  })
  let within = true
  const closed = next<boolean>((done) => {
    channel.onclose = () => done(within)
  })
  channel.close()
  within = false
  expect(await closed).toBe(false)
  expect(await farClosed).toBe(1000)
  expect(channel.readyState).toBe('closed')
})

test('the other side’s end arrives with its reason', async () => {
  const { channel, far } = pair()
  const closed = next<{ code: number; reason: string }>((done) => {
    channel.onclose = done
  })
  far.close(4001, 'lease over')
  expect(await closed).toEqual({ code: 4001, reason: 'lease over' })
})

test('a reader that throws ends the connection and nothing else', async () => {
  const { channel, far } = pair()
  const failed = next<unknown>((done) => {
    channel.onerror = done
  })
  channel.onmessage = () => {
    throw new Error('cannot be read')
  }
  far.sendBytes(new Uint8Array([1]))
  expect(await failed).toBeInstanceOf(Error)
  expect(channel.readyState).toBe('closed')
})
