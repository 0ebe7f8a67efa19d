import { type PriceTable, priceTable } from '../../shared/domain/power.ts'
import type { Store } from '../store/store.ts'

/** On-demand Linux prices of us-east-1 as a start; other regions and contracts differ, so people edit them. */
const defaults: PriceTable = {
  asOf: '2025-01-01',
  usdPerHour: {
    't3.micro': 0.0104,
    't3.small': 0.0208,
    't3.medium': 0.0416,
    't3.large': 0.0832,
    't3.xlarge': 0.1664,
    't3.2xlarge': 0.3328,
    't3a.medium': 0.0376,
    't3a.large': 0.0752,
    'm5.large': 0.096,
    'm5.xlarge': 0.192,
    'm6i.large': 0.096,
    'm6i.xlarge': 0.192,
    'm7i.large': 0.1008,
    'c5.large': 0.085,
    'c5.xlarge': 0.17,
    'c6i.large': 0.085,
    'c6i.xlarge': 0.17,
    'r5.large': 0.126,
    'r6i.large': 0.126,
  },
}

const key = 'prices'

/** What an hour of each kind of instance costs, as this operator last set it. */
export class Prices {
  readonly #store: Pick<Store, 'settings'>
  #table: PriceTable

  constructor(store: Pick<Store, 'settings'>) {
    this.#store = store
    const kept = priceTable.safeParse(store.settings.get(key))
    this.#table = kept.success ? kept.data : defaults
  }

  get table(): PriceTable {
    return this.#table
  }

  set(table: PriceTable): PriceTable {
    this.#store.settings.set(key, table)
    this.#table = table
    return table
  }

  /** Null for a kind that stands not in the table: no price is better than a guess. */
  of(instanceType: string | null): { usd: number; asOf: string } | null {
    const { asOf, usdPerHour } = this.#table
    const usd = instanceType === null ? undefined : usdPerHour[instanceType]
    return usd === undefined ? null : { usd, asOf }
  }
}
