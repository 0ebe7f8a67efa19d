import { randomBytes } from 'node:crypto'
import { sha256 } from './secrets.ts'

const lifeMs = 30_000
/** More than this at once is not a person opening windows. */
const maxOpen = 1000

/** Single-use passes for one socket path, for clients that cannot send a header. Only hashes are kept. */
export class Tickets {
  readonly #open = new Map<string, { path: string; expiresAt: number }>()
  readonly #now: () => number

  /** By default a clock that nobody can set while the agent runs. */
  constructor(now: () => number = () => performance.timeOrigin + performance.now()) {
    this.#now = now
  }

  issue(path: string): { ticket: string; expiresAt: Date } {
    this.#forgetExpired()
    const oldest = this.#open.keys().next()
    if (this.#open.size >= maxOpen && !oldest.done) this.#open.delete(oldest.value)
    const ticket = randomBytes(24).toString('base64url')
    const expiresAt = this.#now() + lifeMs
    this.#open.set(key(ticket), { path, expiresAt })
    return { ticket, expiresAt: new Date(expiresAt) }
  }

  /** True once, within its life, on its own path. Any use spends it, a wrong one too. */
  redeem(ticket: string, path: string): boolean {
    const found = this.#open.get(key(ticket))
    this.#open.delete(key(ticket))
    return found !== undefined && found.path === path && found.expiresAt > this.#now()
  }

  #forgetExpired(): void {
    for (const [hash, { expiresAt }] of this.#open) {
      if (expiresAt <= this.#now()) this.#open.delete(hash)
    }
  }
}

function key(ticket: string): string {
  return sha256(ticket).toString('hex')
}
