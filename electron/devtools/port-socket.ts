/**
 * Runs in the front end's own world, before anything of it: what it takes for a WebSocket is this end of a port, and
 * there is no other. It is carried over as text, so nothing from outside the function may be used inside it.
 */
export function installPortSocket(): void {
  type Listener = ((event: { data?: string; code?: number; reason?: string }) => void) | null
  const ackEveryBytes = 128 * 1024
  let port: MessagePort | undefined
  let socket: PortSocket | undefined

  class PortSocket {
    static readonly CONNECTING = 0
    static readonly OPEN = 1
    static readonly CLOSING = 2
    static readonly CLOSED = 3
    readyState: number = PortSocket.CONNECTING
    readonly bufferedAmount = 0
    onopen: Listener = null
    onmessage: Listener = null
    onerror: Listener = null
    onclose: Listener = null
    #taken = 0

    /** Whatever the address: there is one place to go, and main has connected it. */
    constructor() {
      if (socket !== undefined) throw new DOMException('There is one connection, and it is in use.', 'SecurityError')
      socket = this
      queueMicrotask(join)
    }

    send(data: string): void {
      if (this.readyState === PortSocket.OPEN) port?.postMessage({ t: 'text', data: String(data) })
    }

    close(): void {
      port?.postMessage({ t: 'close', code: 1000, reason: '' })
      this.#end(1000, '')
    }

    open(): void {
      this.readyState = PortSocket.OPEN
      this.onopen?.({})
    }

    receive({ t, data, code, reason }: { t?: string; data?: string; code?: number; reason?: string }): void {
      if (t === 'close') return this.#end(code ?? 1006, reason ?? '')
      if (t !== 'text' || data === undefined) return
      this.onmessage?.({ data })
      if (this.#taken === 0) setTimeout(() => this.#acknowledge())
      this.#taken += data.length * 2
      if (this.#taken >= ackEveryBytes) this.#acknowledge()
    }

    #acknowledge(): void {
      if (this.#taken > 0) port?.postMessage({ t: 'ack', bytes: this.#taken })
      this.#taken = 0
    }

    #end(code: number, reason: string): void {
      if (this.readyState === PortSocket.CLOSED) return
      this.readyState = PortSocket.CLOSED
      port?.close()
      this.onclose?.({ code, reason })
    }
  }

  function join(): void {
    if (port === undefined || socket === undefined || socket.readyState !== PortSocket.CONNECTING) return
    const joined = socket
    port.onmessage = ({ data }) => joined.receive(data as Parameters<PortSocket['receive']>[0])
    joined.open()
  }

  addEventListener('message', (event) => {
    if (event.source !== window || event.data !== 'pilothouse-devtools' || port !== undefined) return
    port = event.ports[0]
    join()
  })
  Object.assign(window, { WebSocket: PortSocket })
}
