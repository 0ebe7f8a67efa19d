/**
 * What the client needs of the way to an agent: one request, one socket. A tunnel, a Unix socket and a
 * test double all look like this.
 */

export interface TransportRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal
  maxBytes: number
}

export interface TransportResponse {
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

/** An answer that is read as it comes; whoever asked reads it to its end or cancels it. */
export interface TransportStream {
  status: number
  headers: Record<string, string>
  body: ReadableStream<Uint8Array>
}

/** A WebSocket as the client sees it. Frames arrive only after `onFrame` is set. */
export interface TransportSocket {
  send(data: string | Uint8Array): void
  /** Bytes handed to the socket that have not left this process. */
  readonly bufferedBytes: number
  pause(): void
  resume(): void
  close(code?: number, reason?: string): void
  onFrame: (data: string | Uint8Array) => void
  onClose: (code: number, reason: string) => void
}

export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>
  /** For files that are too large to be held; test doubles have none. */
  stream?(request: TransportRequest): Promise<TransportStream>
  socket(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<TransportSocket>
  close(): void
}
