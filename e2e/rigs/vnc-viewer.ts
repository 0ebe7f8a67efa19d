import { writeKey } from '../../agent/takeover/client-messages.ts'
import type { AgentClient } from '../../shared/client/client.ts'
import { until } from './until.ts'

/** A viewer that does not know it may only look: it sends keys whatever its mode. */
export interface VncViewer {
  width: number
  height: number
  type(text: string): void
  /** Waits until the server has answered a request made now: what was sent before has been read by then. */
  roundTrip(): Promise<void>
  close(): void
}

/** Opens a raw /ws/vnc connection and says hello as any VNC program would. */
export async function openViewer(client: AgentClient): Promise<VncViewer> {
  const socket = await client.open('vnc', { mode: 'view' })
  let received = Buffer.alloc(0)
  let total = 0
  socket.onBytes = (bytes) => {
    total += bytes.length
    received = Buffer.concat([received, bytes])
  }
  const read = async (size: number) => {
    await until(`${size} bytes of RFB`, () => received.length >= size)
    const taken = received.subarray(0, size)
    received = received.subarray(size)
    return taken
  }
  await read(12)
  socket.sendBytes(Buffer.from('RFB 003.008\n'))
  const [kinds = 0] = await read(1)
  await read(kinds)
  // No authentication towards us, then: share the screen.
  socket.sendBytes(Buffer.from([1]))
  await read(4)
  socket.sendBytes(Buffer.from([1]))
  const init = await read(24)
  await read(init.readUInt32BE(20))
  return {
    width: init.readUInt16BE(0),
    height: init.readUInt16BE(2),
    type(text) {
      for (const char of text) {
        for (const down of [true, false]) socket.sendBytes(writeKey(char.charCodeAt(0), null, down))
      }
    },
    async roundTrip() {
      const before = total
      // One pixel, whether it has changed or not.
      socket.sendBytes(Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 0, 1]))
      await until('an update', () => total > before)
    },
    close: () => socket.close(1000, 'done'),
  }
}
