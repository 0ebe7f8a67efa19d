import dns from 'node:dns'

/** All addresses of a name; rejects when it has none. */
export type LookUp = (name: string) => Promise<string[]>

/** As every program of this machine looks names up: its hosts file, its name servers, its search list. */
export const systemLookUp: LookUp = async (name) => {
  const found = await dns.promises.lookup(name, { all: true, order: 'verbatim', hints: dns.ADDRCONFIG })
  return found.map(({ address }) => address)
}

/** Each takes one of the four threads that the agent reads and writes its files with. */
const atOnce = 2
const maxWaiting = 500
/** As long as Chromium itself keeps what the system told it. */
const keptMs = 60_000
const maxKept = 1000

interface Asked {
  name: string
  site: string
  answer: PromiseWithResolvers<string[]>
}

/**
 * Looks names up, a few at a time. One site has one look-up at most: whoever has many slow names waits for those, and
 * leaves the others their turn.
 */
export class LookUps {
  readonly #lookUp: LookUp
  readonly #waiting: Asked[] = []
  readonly #running = new Set<Asked>()
  readonly #asked = new Map<string, Promise<string[]>>()
  readonly #kept = new Map<string, { addresses: string[]; until: number }>()

  constructor(lookUp: LookUp = systemLookUp) {
    this.#lookUp = lookUp
  }

  async find(name: string, signal: AbortSignal): Promise<string[]> {
    const kept = this.#kept.get(name)
    if (kept !== undefined && performance.now() < kept.until) return kept.addresses
    const given = Promise.withResolvers<never>()
    const giveUp = () => given.reject(signal.reason)
    signal.throwIfAborted()
    signal.addEventListener('abort', giveUp)
    try {
      return await Promise.race([this.#asked.get(name) ?? this.#ask(name), given.promise])
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Nobody waits any longer; what runs cannot be stopped, and is not waited for. */
  close(): void {
    for (const { answer } of this.#waiting.splice(0)) answer.reject(new Error('The browser has ended.'))
  }

  #ask(name: string): Promise<string[]> {
    if (this.#waiting.length >= maxWaiting) return Promise.reject(new Error('Too many names are being looked up.'))
    const asked = { name, site: name.split('.').slice(-2).join('.'), answer: Promise.withResolvers<string[]>() }
    const { promise } = asked.answer
    // Whoever asked may have gone by the time it fails.
    promise.catch(() => {})
    this.#asked.set(name, promise)
    this.#waiting.push(asked)
    this.#next()
    return promise
  }

  #next(): void {
    while (this.#running.size < atOnce) {
      const busy = new Set([...this.#running].map(({ site }) => site))
      const index = this.#waiting.findIndex(({ site }) => !busy.has(site))
      const [asked] = index < 0 ? [] : this.#waiting.splice(index, 1)
      if (asked === undefined) return
      this.#running.add(asked)
      void this.#run(asked)
    }
  }

  async #run(asked: Asked): Promise<void> {
    try {
      const addresses = await this.#lookUp(asked.name)
      this.#keep(asked.name, addresses)
      asked.answer.resolve(addresses)
    } catch (error) {
      asked.answer.reject(error)
    } finally {
      this.#asked.delete(asked.name)
      this.#running.delete(asked)
      this.#next()
    }
  }

  #keep(name: string, addresses: string[]): void {
    this.#kept.delete(name)
    this.#kept.set(name, { addresses, until: performance.now() + keptMs })
    const oldest = this.#kept.keys().next()
    if (this.#kept.size > maxKept && !oldest.done) this.#kept.delete(oldest.value)
  }
}
