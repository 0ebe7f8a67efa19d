import net from 'node:net'
import { Problem } from '../../shared/errors.ts'
import { noAnswer } from '../browser/cdp.ts'

/** A connection to Chromium whose upgrade has been answered, but not yet passed on. */
export interface Upstream {
  socket: net.Socket
  /** Chromium's answer to the upgrade, word for word. */
  answer: Buffer
  /** What came with it. */
  head: Buffer
}

/** Chromium on a busy machine answers late, but it answers. */
const handshakeMs = 15_000
const maxAnswerBytes = 16 * 1024

/**
 * Makes the client's own upgrade at Chromium's port, under another path and host. Compression is not offered,
 * because the frames have to stay readable.
 */
export async function connectUpstream(port: number, path: string, key: string | undefined): Promise<Upstream> {
  if (key === undefined || !/^[A-Za-z0-9+/]{22}==$/.test(key))
    throw new Problem('bad-request', 'That is not a WebSocket upgrade: Sec-WebSocket-Key is missing or wrong.')
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true })
  const limit = setTimeout(() => socket.destroy(new Error('it did not answer in time')), handshakeMs)
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  try {
    const { answer, head } = await readAnswer(socket)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer.toString('latin1'))?.[1])
    if (status === 101) return { socket, answer, head }
    if (path.includes('/page/'))
      throw new Problem('not-found', 'There is no such page. GET /v1/browser/cdp/json/list has all there are.')
    throw new Problem('cdp-error', `Chromium refused the connection with status ${status}. Stop and start the browser.`)
  } catch (error) {
    socket.destroy()
    if (error instanceof Problem) throw error
    throw noAnswer(error)
  } finally {
    clearTimeout(limit)
  }
}

function readAnswer(socket: net.Socket): Promise<{ answer: Buffer; head: Buffer }> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const take = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) {
        if (received.length > maxAnswerBytes) settle(() => reject(new Error('its answer is too long')))
        return
      }
      socket.pause()
      settle(() => resolve({ answer: received.subarray(0, end + 4), head: received.subarray(end + 4) }))
    }
    const failed = (error?: Error | boolean) =>
      settle(() => reject(error instanceof Error ? error : new Error('it closed the connection')))
    const settle = (done: () => void) => {
      socket.off('data', take)
      socket.off('close', failed)
      done()
    }
    socket.on('data', take)
    // Stays for good: an error is followed by `close`, which is what the relay listens to.
    socket.on('error', failed)
    socket.on('close', failed)
  })
}
