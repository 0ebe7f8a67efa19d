import { setTimeout as sleep } from 'node:timers/promises'
import { XConnection } from './x11.ts'

/** Of X11. */
const changeKeyboardMapping = 100
const getKeyboardMapping = 101
const getInputFocus = 43
const [minKeycode, maxKeycode] = [8, 255]
/**
 * Keys below are those of a keyboard. Above are those of players and phones, which programs know by their place and
 * not by what they make, and between them places that no program knows.
 */
const firstPlace = 136
/** How long a program may take to hear of new keys, or to read the ones it was sent before they become others. */
const heardMs = 100

/** Whether a keysym is a letter that a plain keyboard may not have. */
export function isForeign(keysym: number): boolean {
  return (keysym >= 0xa0 && keysym < 0xfe00) || (keysym >= 0x01000100 && keysym <= 0x0110ffff)
}

/**
 * Keys for letters that the display's keyboard has not. A VNC server makes some itself, and has about twenty for as
 * long as it runs: every other letter is lost without a word, and often the first of them as well, since programs hear
 * of a new key after it was pressed. These are made before, and made anew.
 */
export class ForeignLetters {
  readonly #x: XConnection
  /** What every key from the first place on makes. */
  readonly #keys: number[][]
  readonly #perKey: number
  readonly #native: ReadonlySet<number>
  /** Which keys are free, the one that was used longest ago first, and the letter that each makes now. */
  #free: { key: number; letter: number | undefined }[]
  #usedAt = Number.NEGATIVE_INFINITY
  #making: Promise<void> = Promise.resolve()

  private constructor(x: XConnection, reply: Buffer) {
    this.#x = x
    const perKey = reply[1] ?? 0
    const read = (key: number) =>
      Array.from({ length: perKey }, (_, place) => reply.readUInt32LE(32 + 4 * ((key - minKeycode) * perKey + place)))
    const all = Array.from({ length: maxKeycode - minKeycode + 1 }, (_, index) => read(minKeycode + index))
    this.#perKey = perKey
    this.#keys = all.slice(firstPlace - minKeycode)
    this.#free = this.#keys.flatMap((letters, key) =>
      letters.every((letter) => letter === 0 || isForeign(letter)) ? [{ key, letter: undefined }] : [],
    )
    const taken = new Set(this.#free.map(({ key }) => key + firstPlace - minKeycode))
    this.#native = new Set(all.flatMap((letters, key) => (taken.has(key) ? [] : letters)))
  }

  static async open(env: { DISPLAY: string; XAUTHORITY: string }): Promise<ForeignLetters> {
    const x = await XConnection.open(env)
    try {
      const body = Buffer.from([minKeycode, maxKeycode - minKeycode + 1, 0, 0])
      return new ForeignLetters(x, await x.ask(getKeyboardMapping, 0, body))
    } catch (error) {
      x.close()
      throw error
    }
  }

  /** How many of these, from the first on, there can be keys for at once. */
  fitting(chords: readonly (readonly number[])[]): number {
    const letters = new Set<number>()
    const end = chords.findIndex((chord) => {
      for (const letter of chord) if (this.#needsKey(letter)) letters.add(letter)
      return letters.size > this.#free.length
    })
    return end === -1 ? chords.length : Math.max(1, end)
  }

  /** Whether there is a key for it, and programs know it. */
  has(letter: number): boolean {
    return !this.#needsKey(letter) || this.#free.some((one) => one.letter === letter)
  }

  /** Makes keys of these; when it resolves, programs know them. */
  make(chords: readonly (readonly number[])[]): Promise<void> {
    const made = this.#making.then(() => this.#make(chords))
    this.#making = made.catch(() => {})
    return made
  }

  async #make(chords: readonly (readonly number[])[]): Promise<void> {
    const wanted = new Set(chords.flat().filter((letter) => this.#needsKey(letter)))
    const kept = this.#free.filter(({ letter }) => letter !== undefined && wanted.has(letter))
    const missing = [...wanted].filter((letter) => !kept.some((one) => one.letter === letter))
    if (missing.length > 0) {
      const others = this.#free.filter((one) => !kept.includes(one))
      const made = others.slice(0, missing.length)
      if (made.some(({ letter }) => letter !== undefined))
        await sleep(Math.max(0, this.#usedAt + heardMs - performance.now()))
      for (const [index, one] of made.entries()) one.letter = missing[index]
      this.#free = [...others.slice(made.length), ...kept, ...made]
      await this.#write()
      await sleep(heardMs)
    }
    this.#usedAt = performance.now()
  }

  /** To be told when the keys have been pressed. */
  used(): void {
    this.#usedAt = performance.now()
  }

  close(): void {
    this.#x.close()
  }

  #needsKey(letter: number): boolean {
    return isForeign(letter) && !this.#native.has(letter)
  }

  /** All places at once, the others as they are: programs read the whole keyboard anew each time that they hear of it. */
  async #write(): Promise<void> {
    // Both: without and with Shift it is the same letter.
    for (const { key, letter } of this.#free) this.#keys[key] = letter === undefined ? [] : [letter, letter]
    const body = Buffer.alloc(4 + 4 * this.#perKey * this.#keys.length)
    body[0] = firstPlace
    body[1] = this.#perKey
    for (const [key, letters] of this.#keys.entries())
      for (const [place, letter] of letters.entries()) body.writeUInt32LE(letter, 4 + 4 * (key * this.#perKey + place))
    this.#x.send(changeKeyboardMapping, this.#keys.length, body)
    await this.#x.ask(getInputFocus, 0, Buffer.alloc(0))
  }
}

/** One for a display, opened when the first such letter is typed. */
export class LettersOf {
  readonly #env: { DISPLAY: string; XAUTHORITY: string }
  #letters: Promise<ForeignLetters> | null = null

  constructor(env: { DISPLAY: string; XAUTHORITY: string }) {
    this.#env = env
  }

  get(): Promise<ForeignLetters> {
    if (this.#letters === null) {
      this.#letters = ForeignLetters.open(this.#env)
      // A display that did not answer once may answer the next time.
      this.#letters.catch(() => {
        this.#letters = null
      })
    }
    return this.#letters
  }

  close(): void {
    this.#letters?.then((letters) => letters.close()).catch(() => {})
  }
}
