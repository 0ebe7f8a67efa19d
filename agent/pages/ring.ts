/** The last so many of something; the oldest makes room. */
export class Ring<Item> {
  readonly #items: Item[] = []
  readonly #capacity: number
  readonly #onEvict: (item: Item) => void
  #next = 0

  constructor(capacity: number, onEvict: (item: Item) => void = () => {}) {
    this.#capacity = capacity
    this.#onEvict = onEvict
  }

  push(item: Item): void {
    const evicted = this.#items[this.#next]
    if (evicted !== undefined) this.#onEvict(evicted)
    this.#items[this.#next] = item
    this.#next = (this.#next + 1) % this.#capacity
  }

  /** From the oldest to the newest. */
  list(): Item[] {
    return [...this.#items.slice(this.#next), ...this.#items.slice(0, this.#next)]
  }
}
