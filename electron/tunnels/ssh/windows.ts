import type { Channel, Client } from 'ssh2'

/**
 * How much a machine may send on a channel before it must wait. ssh2 always allows two megabytes: on a link of 1 Mbit
 * that is a queue of 16 s, and every keystroke's echo and every call stands behind it. Here it follows what the link
 * carries. ssh2 has no setting for it, so these parts of its inside are used (its version is pinned):
 */
interface Inside {
  _protocol: {
    directTcpip(id: number, window: number, packet: number, to: unknown): void
    openssh_directStreamLocal(id: number, window: number, packet: number, to: unknown): void
    channelWindowAdjust(id: number, bytes: number): void
  }
}

const firstWindow = 256 * 1024
const minWindow = 64 * 1024
/** Half of what ssh2 believes to have allowed, so that it never sees more than that. */
const maxWindow = 1024 * 1024
/** The longest queue that one channel's data may make on a link. */
const queueMs = 750

/** Channels whose window is set here, by the number the machine gave them; the others are ssh2's own. */
const governed = new WeakMap<Client, { own: Set<number>; adjust: (id: number, bytes: number) => void }>()

/** Opens a channel that begins with a small window; `open` must ask for it before it returns. */
export function withSmallWindow(client: Client, open: () => void): void {
  const protocol = (client as unknown as Inside)._protocol
  const { directTcpip, openssh_directStreamLocal } = protocol
  protocol.directTcpip = (id, _window, packet, to) => directTcpip.call(protocol, id, firstWindow, packet, to)
  protocol.openssh_directStreamLocal = (id, _window, packet, to) =>
    openssh_directStreamLocal.call(protocol, id, firstWindow, packet, to)
  try {
    open()
  } finally {
    Object.assign(protocol, { directTcpip, openssh_directStreamLocal })
  }
}

/** The window of one channel, moved on as its bytes are taken. */
export class ReceiveWindow {
  readonly #id: number
  readonly #adjust: (id: number, bytes: number) => void
  readonly #forget: () => void
  #window = firstWindow
  /** Taken, but not yet allowed again. */
  #owed = 0
  #measured = 0
  #since = performance.now()

  constructor(client: Client, channel: Channel) {
    this.#id = (channel as unknown as { outgoing: { id: number } }).outgoing.id
    const { own, adjust } = govern(client)
    own.add(this.#id)
    this.#adjust = adjust
    this.#forget = () => own.delete(this.#id)
    channel.once('close', () => this.end())
  }

  /** Somebody has read so many bytes. */
  taken(bytes: number): void {
    this.#owed += bytes
    this.#measured += bytes
    if (this.#measured >= this.#window) this.#resize()
    if (this.#owed < this.#window / 2) return
    this.#adjust(this.#id, this.#owed)
    this.#owed = 0
  }

  end(): void {
    this.#forget()
  }

  #resize(): void {
    const now = performance.now()
    const perMs = this.#measured / Math.max(1, now - this.#since)
    const fitting = Math.round(Math.min(maxWindow, Math.max(minWindow, perMs * queueMs)))
    // A smaller window is one that is not all allowed again: no more can be held back than is owed.
    const change = Math.max(fitting - this.#window, -this.#owed)
    this.#window += change
    this.#owed += change
    this.#measured = 0
    this.#since = now
  }
}

function govern(client: Client): { own: Set<number>; adjust: (id: number, bytes: number) => void } {
  const known = governed.get(client)
  if (known !== undefined) return known
  const protocol = (client as unknown as Inside)._protocol
  const adjust = protocol.channelWindowAdjust.bind(protocol)
  const made = { own: new Set<number>(), adjust }
  protocol.channelWindowAdjust = (id, bytes) => {
    if (!made.own.has(id)) adjust(id, bytes)
  }
  governed.set(client, made)
  return made
}
