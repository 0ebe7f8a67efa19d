import { z } from 'zod'
import type { environments } from '../../../shared/domain/environments.ts'
import { type FeedConfig, feedConfig, pendingTag } from '../../../shared/ipc-deploys.ts'
import type { Store } from '../../store/store.ts'

export type Environment = (typeof environments)[number]

const kept = z.object({
  config: feedConfig.nullable(),
  lookedAt: z.string().nullable(),
  pending: z.array(pendingTag),
  /** Tags with their digests that were there before, so that only what is new is deployed by itself. */
  known: z.record(z.string(), z.string()),
  dismissed: z.array(z.string()),
})
export type KeptFeed = z.infer<typeof kept>

const nothing: KeptFeed = { config: null, lookedAt: null, pending: [], known: {}, dismissed: [] }

/** What is kept of an environment's source of images; no login. */
export class FeedStore {
  readonly #settings: Store['settings']

  constructor({ settings }: Pick<Store, 'settings'>) {
    this.#settings = settings
  }

  read(environment: Environment): KeptFeed {
    const checked = kept.safeParse(this.#settings.get(`feed:${environment}`))
    return checked.success ? checked.data : nothing
  }

  write(environment: Environment, feed: KeptFeed): void {
    this.#settings.set(`feed:${environment}`, feed)
  }

  /** Another place or another choice of tags: what was found before means nothing there. */
  configure(environment: Environment, config: FeedConfig | null): void {
    const before = this.read(environment)
    const placeOf = (one: FeedConfig | null) => JSON.stringify([one?.address, one?.repository, one?.pattern])
    const same = config !== null && placeOf(config) === placeOf(before.config)
    this.write(environment, same ? { ...before, config } : { ...nothing, config })
  }
}
