import net from 'node:net'
import { classOf } from './addresses.ts'

/** More names than a person or an engine comes to; beyond, a name has to be public. */
const maxKnown = 20_000

/**
 * What a name may lead to. A site that was out in the world a moment ago and is now this machine, or one beside it, is
 * somebody who wants in: a page of his has the same origin as what answers there.
 */
export class KnownNames {
  readonly #public = new Set<string>()
  readonly #max: number

  constructor(max = maxKnown) {
    this.#max = max
  }

  /** Those of its addresses that may be connected to. */
  usable(name: string, addresses: readonly string[]): string[] {
    const found = addresses.map((address) => ({ address, kind: classOf(address) }))
    const outside = found.filter(({ kind }) => kind === 'public').map(({ address }) => address)
    if (outside.length > 0) {
      if (this.#public.size < this.#max) this.#public.add(name)
      return outside
    }
    // What stands there as an address is what it is; a page says it openly, and Chromium looks at it.
    if (net.isIP(name) === 0 && (this.#public.has(name) || this.#public.size >= this.#max)) return []
    return found.filter(({ kind }) => kind !== 'never').map(({ address }) => address)
  }
}
