/** Numbers in one piece of memory, cheap to add at the end and to take from the front. */
export class NumberList {
  #data = new Uint32Array(1024)
  #head = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return this.#data[this.#head + index] ?? 0
  }

  set(index: number, value: number): void {
    this.#data[this.#head + index] = value
  }

  push(value: number): void {
    if (this.#head + this.#length === this.#data.length) this.#makeRoom()
    this.#data[this.#head + this.#length++] = value
  }

  /** Keeps the first so many. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length)
  }

  dropFirst(count: number): void {
    const dropped = Math.min(count, this.#length)
    this.#head += dropped
    this.#length -= dropped
  }

  slice(from: number, to = this.#length): Uint32Array {
    return this.#data.slice(this.#head + from, this.#head + to)
  }

  clear(): void {
    this.#head = 0
    this.#length = 0
  }

  #makeRoom(): void {
    // When half of it is free at the front, it is only moved.
    const size = this.#length * 2 > this.#data.length ? this.#data.length * 2 : this.#data.length
    const next = new Uint32Array(size)
    next.set(this.#data.subarray(this.#head, this.#head + this.#length))
    this.#data = next
    this.#head = 0
  }
}
