import net from 'node:net'
import { answerVncChallenge } from './vnc-password.ts'

const vncAuth = 2

/** Where the agent's own VNC server listens, and the password that only the agent knows. */
export interface VncServer {
  port: number
  password: string
}

/** Opens a connection to the VNC server and authenticates; what follows next is the client's ClientInit. */
export async function connectVnc(server: VncServer, timeoutMs = 5000): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port: server.port, noDelay: true })
  const limit = setTimeout(() => socket.destroy(new Error('the VNC server does not answer')), timeoutMs)
  try {
    const read = reader(socket)
    const greeting = (await read(12)).toString('latin1')
    if (!/^RFB 003\.\d{3}\n$/.test(greeting)) throw new Error('what listens there is not a VNC server')
    socket.write('RFB 003.008\n')
    const [count = 0] = await read(1)
    if (count === 0) throw new Error(`the VNC server refused: ${await readReason(read)}`)
    if (!(await read(count)).includes(vncAuth)) throw new Error('the VNC server does not take a password')
    socket.write(Buffer.from([vncAuth]))
    socket.write(answerVncChallenge(server.password, await read(16)))
    if ((await read(4)).readUInt32BE() !== 0) throw new Error(`the VNC server refused: ${await readReason(read)}`)
    socket.pause()
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(limit)
  }
}

type Read = (bytes: number) => Promise<Buffer>

async function readReason(read: Read): Promise<string> {
  const length = (await read(4)).readUInt32BE()
  return (await read(Math.min(length, 500))).toString('latin1')
}

/** Exact reads; bytes beyond the ones asked for stay in the socket. */
function reader(socket: net.Socket): Read {
  const failed = new Promise<never>((_resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the VNC server closed the connection')))
  })
  failed.catch(() => {})
  return async (bytes) => {
    for (;;) {
      const data: Buffer | null = socket.read(bytes)
      if (data !== null) return data
      await Promise.race([failed, new Promise((resolve) => socket.once('readable', resolve))])
    }
  }
}
