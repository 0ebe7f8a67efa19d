import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../shared/errors.ts'
import type { Config } from '../config.ts'

/** Settings that take effect while the agent runs; the others need a restart. */
const live = [
  ...(['fleetSalt', 'allowReveal', 'execAllow', 'commandEnv', 'recordTerminals'] as const),
  ...(['shell', 'terminalUser', 'shutdownCommand'] as const),
] as const

/** The configuration as it stands now. */
export class LiveConfig {
  #current: Config
  readonly #read: () => Config

  constructor(first: Config, read: () => Config) {
    this.#current = first
    this.#read = read
  }

  get current(): Config {
    return this.#current
  }

  /** Reads the configuration again; says which settings have changed, and which of them wait for a restart. */
  reload(): { changed: string[]; waiting: string[] } {
    let next: Config
    try {
      next = this.#read()
    } catch (error) {
      throw new Problem('conflict', `The old configuration stays: ${(error as Error).message}`)
    }
    const differs = (key: keyof Config) => !isDeepStrictEqual(next[key], this.#current[key])
    const isLive = (key: string) => (live as readonly string[]).includes(key)
    const keys = (Object.keys(next) as (keyof Config)[]).filter(differs)
    const changed = keys.filter(isLive)
    this.#current = { ...this.#current, ...Object.fromEntries(changed.map((key) => [key, next[key]])) }
    return { changed, waiting: keys.filter((key) => !isLive(key)) }
  }
}
