import { randomUUID } from 'node:crypto'
import type { AgentClient } from '../../shared/client/client.ts'
import type { AgentSocket } from '../../shared/client/socket.ts'
import type { SocketDefinition } from '../../shared/contract/define.ts'
import { type SocketName, type SocketSend, socketsByName } from '../../shared/contract/index.ts'
import { parseJson } from '../../shared/contract/wire.ts'
import { describeIssues, Problem } from '../../shared/errors.ts'
import { type PortLike, PortStream } from '../../shared/stream.ts'
import type { Caller } from './dispatch.ts'
import { messageWithLease, socketWithLease } from './with-lease.ts'

/** Bytes on their way to the agent beyond which a window has to wait. A paste is less, a flood is more. */
const maxBufferedBytes = 1024 * 1024
const drainCheckMs = 4

/** A pair of ports: one stays here, the other goes to the window. */
export interface Channel {
  here: PortLike & {
    on(event: 'message', listener: (message: { data: unknown }) => void): unknown
    on(event: 'close', listener: () => void): unknown
  }
  there: unknown
}

export interface StreamsDeps {
  client: (machineId: string) => AgentClient
  leaseId: (machineId: string) => string | undefined
  makeChannel: () => Channel
  /** Hears what a window is shown on a stream of text. */
  onMessage?: (machineId: string, socket: SocketName, message: unknown) => void
  /** One was opened or has ended: so many are open now. */
  onCount?: (open: number) => void
}

interface Open {
  machineId: string
  /** Whether it goes through the machine's agent, and ends with it. */
  byAgent: boolean
}

/** Every open stream between a window and a machine. */
export class Streams {
  readonly #deps: StreamsDeps
  readonly #open = new Map<PortStream, Open>()

  constructor(deps: StreamsDeps) {
    this.#deps = deps
  }

  get count(): number {
    return this.#open.size
  }

  /** Connects one of the contract's sockets and hands the window its end. */
  async open(machineId: string, name: string, params: Record<string, unknown>, caller: Caller): Promise<string> {
    const definition = socketFor(name)
    const socketName = definition.name as SocketName
    const values = socketWithLease(definition, params, this.#deps.leaseId(machineId))
    const socket = await this.#deps.client(machineId).open(socketName, values as never)
    const { onMessage } = this.#deps
    const heard = onMessage === undefined ? undefined : (message: unknown) => onMessage(machineId, socketName, message)
    const lease = () => this.#deps.leaseId(machineId)
    return this.hand(machineId, caller, (stream) => bridge(stream, socket, definition, heard, lease), true)
  }

  /** Hands a window its end of a stream; `connect` joins the other end to whatever it comes from. */
  hand(machineId: string, caller: Caller, connect: (stream: PortStream) => void, byAgent: boolean): string {
    const streamId = randomUUID()
    const { here, there } = this.#deps.makeChannel()
    const stream = new PortStream(here, (handler) => here.on('message', ({ data }) => handler(data)))
    connect(stream)
    this.#open.set(stream, { machineId, byAgent })
    this.#deps.onCount?.(this.count)
    const stopWatching = caller.onGone(() => stream.lost())
    here.on('close', () => stream.lost())
    const closeSocket = stream.onClose
    stream.onClose = (code, reason) => {
      this.#open.delete(stream)
      this.#deps.onCount?.(this.count)
      stopWatching()
      closeSocket(code, reason)
    }
    if (!caller.sendPort(streamId, there)) stream.lost()
    return streamId
  }

  closeAll(): void {
    for (const stream of this.#open.keys()) stream.close(1001, 'the console is closing')
  }

  /** The machine is gone: nothing that hangs on it waits any longer, and each is told why. */
  closeMachine(machineId: string, reason: string): void {
    for (const [stream, open] of this.#open) {
      if (open.machineId === machineId && open.byAgent) stream.close(1001, reason.slice(0, 100))
    }
  }

  /** The machine is no longer this console's: not even a way past its agent stays open. */
  forget(machineId: string): void {
    for (const [stream, open] of this.#open) {
      if (open.machineId === machineId) stream.close(1001, 'the machine was removed')
    }
  }
}

function socketFor(name: string): SocketDefinition {
  const definition: SocketDefinition | undefined = Object.hasOwn(socketsByName, name)
    ? socketsByName[name as SocketName]
    : undefined
  if (definition?.windows !== true) throw new Problem('unknown-route', 'There is no such stream for a window.')
  return definition
}

function bridge(
  stream: PortStream,
  socket: AgentSocket<SocketName>,
  definition: SocketDefinition,
  heard: ((message: unknown) => void) | undefined,
  lease: () => string | undefined,
): void {
  socket.onBytes = (bytes) => {
    if (!stream.sendBytes(bytes)) socket.pause()
  }
  socket.onMessage = (message) => {
    heard?.(message)
    if (!stream.sendText(JSON.stringify(message))) socket.pause()
  }
  socket.onClose = (code, reason) => stream.close(code, reason)
  stream.onDrain = () => socket.resume()
  stream.onClose = (code, reason) => {
    // A paused socket would never see the other side's answer to the closing.
    socket.resume()
    socket.close(allowedCode(code), reason.slice(0, 100))
  }
  stream.onBytes = (bytes) => {
    if (!definition.binary) return stream.close(1003, 'this stream takes no bytes')
    if (bytes.byteLength > definition.maxFrameBytes) return stream.close(1009, 'that frame is too large')
    socket.sendBytes(bytes)
    return drained(stream, socket)
  }
  stream.onText = (text) => {
    const checked = readText(text, definition, lease())
    if (checked instanceof Problem) return stream.close(1007, checked.message.slice(0, 100))
    socket.send(checked as SocketSend<SocketName>)
    return drained(stream, socket)
  }
}

/** Holds the window's acknowledgement back until the agent took what is under way. */
function drained(stream: PortStream, socket: AgentSocket<SocketName>): Promise<void> | undefined {
  if (socket.bufferedBytes < maxBufferedBytes) return undefined
  return new Promise((resolve) => {
    const look = () => {
      if (stream.closed || socket.bufferedBytes < maxBufferedBytes) resolve()
      else setTimeout(look, drainCheckMs)
    }
    look()
  })
}

function readText(text: string, definition: SocketDefinition, leaseId: string | undefined): unknown {
  if (text.length > definition.maxFrameBytes) return new Problem('body-too-large', 'that frame is too large')
  try {
    const checked = definition.send.safeParse(messageWithLease(parseJson(text), leaseId))
    return checked.success ? checked.data : new Problem('invalid-params', describeIssues(checked.error))
  } catch (error) {
    if (error instanceof Problem) return error
    return new Problem('bad-request', 'that frame is not JSON')
  }
}

/** Codes below 3000 are the protocol's own; only these may be sent by an endpoint. */
function allowedCode(code: number): number {
  return code === 1000 || (code >= 3000 && code <= 4999) ? code : 1000
}
