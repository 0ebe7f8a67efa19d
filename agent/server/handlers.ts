import type { Duplex } from 'node:stream'
import type {
  CallName,
  CallParamsOut,
  CallResultIn,
  SocketName,
  SocketParamsOut,
  SocketReceive,
  SocketSend,
  Sockets,
} from '../../shared/contract/index.ts'

/** Who is calling, and what belongs to this one call. */
export interface CallContext {
  readonly requestId: string
  /** The name from `X-Operator`; null when the client sent none. */
  readonly operator: string | null
  /** The address of the peer, or `unix` for the Unix socket. */
  readonly peer: string
  /** Aborted when the client goes away before the answer. */
  readonly signal: AbortSignal
  /** Lower-cased request headers, without the credentials. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Of a socket: its audit row ends as this ends, and not when the socket is open. */
  resultOf(work: Promise<unknown>): void
  /** Adds to the details of this call's audit row. Never put a secret here. */
  note(details: Record<string, unknown>): void
}

/** An answer that is not plain JSON with the declared status. */
export class Reply {
  readonly contentType: string
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>
  readonly headers: Record<string, string>
  readonly status: number | undefined
  constructor(
    contentType: string,
    body: string | Uint8Array | AsyncIterable<Uint8Array>,
    options: { headers?: Record<string, string>; status?: number } = {},
  ) {
    this.contentType = contentType
    this.body = body
    this.headers = options.headers ?? {}
    this.status = options.status
  }
}

export type Handler<Name extends CallName> = (
  params: CallParamsOut<Name>,
  context: CallContext,
) => CallResultIn<Name> | Reply | Promise<CallResultIn<Name> | Reply>

/** One handler for every call of the contract: a call without one does not compile. */
export type Handlers = { [Name in CallName]: Handler<Name> }

/** The agent's end of an open socket. Everything a client sends has been checked before it arrives here. */
export interface ServerSocket<Name extends SocketName> {
  send(message: SocketReceive<Name>): void
  sendBytes(bytes: Uint8Array): void
  /** Bytes not yet taken by the network: what back-pressure is decided on. */
  readonly bufferedBytes: number
  /** Stops and restarts reading from the client. */
  pause(): void
  resume(): void
  close(code?: number, reason?: string): void
  onMessage: (message: SocketSend<Name>) => void
  onBytes: (bytes: Buffer) => void
  /** Called once, whoever closed it. */
  onClose: () => void
}

/** The bare connection of a proxied socket: the upgrade is not answered yet, `head` is what came after it. */
export interface ProxiedStream {
  readonly stream: Duplex
  readonly head: Buffer
}

type Opened<Name extends SocketName> = Sockets[Name]['proxied'] extends true ? ProxiedStream : ServerSocket<Name>

/**
 * Called before the upgrade is answered, so that it can refuse with a problem; returns what to do with
 * the socket once it is open.
 */
export type SocketHandler<Name extends SocketName> = (
  params: SocketParamsOut<Name>,
  context: CallContext,
) => ((socket: Opened<Name>) => void) | Promise<(socket: Opened<Name>) => void>

export type SocketHandlers = { [Name in SocketName]: SocketHandler<Name> }
