import { PortStream } from '../../shared/stream.ts'
import { call } from './bridge.ts'

/** How long a port may take after main has said that the stream is open. */
const portWaitMs = 5000

const arrived = new Map<string, MessagePort>()
const awaited = new Map<string, (port: MessagePort) => void>()

/** Receives the ports that the preload hands over; once per window. Returns the way to stop. */
export function receivePorts(): () => void {
  const onMessage = (event: MessageEvent<unknown>) => {
    if (event.source !== window || event.origin !== window.location.origin) return
    const data = event.data as { pilothouseStream?: unknown } | null
    const port = event.ports[0]
    if (typeof data?.pilothouseStream !== 'string' || port === undefined) return
    const waiting = awaited.get(data.pilothouseStream)
    if (waiting !== undefined) waiting(port)
    else arrived.set(data.pilothouseStream, port)
  }
  window.addEventListener('message', onMessage)
  return () => window.removeEventListener('message', onMessage)
}

/** A web MessagePort as a stream. */
export function streamOver(port: MessagePort): PortStream {
  const stream = new PortStream(port, (handler) => {
    port.addEventListener('message', (event) => handler(event.data))
  })
  port.addEventListener('close', () => stream.lost())
  return stream
}

/** Opens one of a machine's sockets. */
export async function openStream(
  machineId: string,
  socket: string,
  params: Record<string, unknown>,
): Promise<PortStream> {
  return streamOver(await openPort(machineId, socket, params))
}

/** The same as a bare port, for a worker that reads it itself. */
export async function openPort(
  machineId: string,
  socket: string,
  params: Record<string, unknown>,
): Promise<MessagePort> {
  const { streamId } = await call('stream.open', { machineId, socket, params })
  return portOf(streamId)
}

/** The answer and the port travel apart: either may come first. */
export function portOf(streamId: string): Promise<MessagePort> {
  const port = arrived.get(streamId)
  if (port !== undefined) {
    arrived.delete(streamId)
    return Promise.resolve(port)
  }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      awaited.delete(streamId)
      reject(new Error('The stream was opened but did not reach this window. Try again.'))
    }, portWaitMs)
    awaited.set(streamId, (late) => {
      clearTimeout(timer)
      awaited.delete(streamId)
      resolve(late)
    })
  })
}
