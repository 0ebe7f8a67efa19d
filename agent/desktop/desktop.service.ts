import type { CallParamsOut } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { Display } from '../display/display.ts'
import { isForeign, type LettersOf } from '../display/foreign-letters.ts'
import type { LeaseService } from '../takeover/lease.service.ts'
import { maxTextBytes, offerClipboard, readClipboard } from './clipboard.ts'
import { chordOf, keysymsOf } from './keysyms.ts'
import { encodePng } from './png.ts'
import { RfbScreen } from './rfb-screen.ts'
import type { Screens } from './screens.ts'

const buttonBits = { left: 1, middle: 2, right: 4 } as const
const wheelBits = { up: 8, down: 16, left: 32, right: 64 } as const

interface Hand {
  display: Display
  screen: RfbScreen
  /** Which buttons are down. */
  buttons: number
}

/** The whole display: what is on it, what is done to it, its clipboard. */
export class DesktopService {
  readonly #screens: Screens
  readonly #leases: LeaseService
  #withdrawClipboard: () => void = () => {}
  /** What the agent put there last, for a text that comes in parts. */
  #offered = ''
  /** One after the other: two calls at once must not mix their keys. */
  #acting: Promise<unknown> = Promise.resolve()
  /** Kept between calls: a button that one of them pressed stays down for the next. */
  #hand: Hand | null = null

  constructor(screens: Screens, leases: LeaseService) {
    this.#screens = screens
    this.#leases = leases
    screens.onEnd(() => {
      this.#withdrawClipboard()
      this.#letGo()
    })
    leases.onTaken(() => this.#acting.then(() => this.#letGo()))
  }

  async screenshot(): Promise<Buffer> {
    const { vnc } = this.#display()
    const picture = await reached(async () => {
      const screen = await RfbScreen.open(vnc)
      try {
        return await screen.picture()
      } finally {
        screen.close()
      }
    }, 'The display cannot be reached')
    return encodePng(picture)
  }

  mouse(params: CallParamsOut<'desktop.mouse'>): Promise<void> {
    const { action, x, y, button, deltaX, deltaY } = params
    const bit = buttonBits[button]
    return this.#act((hand) => {
      const { screen } = hand
      if (x >= screen.width || y >= screen.height)
        throw new Problem(
          'invalid-params',
          `x and y must be on the display, which is ${screen.width}×${screen.height}.`,
        )
      const press = (bits: number) => {
        screen.pointer(hand.buttons | bits, x, y)
        screen.pointer(hand.buttons & ~bits, x, y)
      }
      screen.pointer(hand.buttons, x, y)
      if (action === 'down') hand.buttons |= bit
      if (action === 'up') hand.buttons &= ~bit
      if (action === 'down' || action === 'up') screen.pointer(hand.buttons, x, y)
      if (action === 'click' || action === 'doubleClick') press(bit)
      if (action === 'doubleClick') press(bit)
      if (action !== 'wheel') return
      for (let turn = 0; turn < Math.abs(deltaY); turn++) press(deltaY > 0 ? wheelBits.down : wheelBits.up)
      for (let turn = 0; turn < Math.abs(deltaX); turn++) press(deltaX > 0 ? wheelBits.right : wheelBits.left)
    })
  }

  keyboard({ text, key }: CallParamsOut<'desktop.keyboard'>): Promise<void> {
    if ((text === undefined) === (key === undefined))
      throw new Problem('invalid-params', 'Give either a text to type or a key to press.')
    const chords = key === undefined ? [...(text ?? '')].map(chordOf) : [keysymsOf(key)]
    return this.#act(async (hand) => {
      const { letters } = hand.display
      if (letters === null || !chords.flat().some(isForeign)) strike(hand, chords)
      else await this.#strikeForeign(hand, letters, chords)
    })
  }

  /** As many at a time as there can be keys for. */
  async #strikeForeign(hand: Hand, lettersOf: LettersOf, chords: readonly number[][]): Promise<void> {
    const letters = await lettersOf.get()
    for (let at = 0; at < chords.length; ) {
      const part = chords.slice(at, at + letters.fitting(chords.slice(at)))
      await letters.make(part)
      // Someone may have taken the lease meanwhile.
      this.#refuseWhileHeld()
      strike(hand, part)
      await hand.screen.flush()
      letters.used()
      at += part.length
    }
  }

  readClipboard(): Promise<string> {
    return reached(() => readClipboard(this.#display().env), 'The clipboard cannot be read')
  }

  /** Also for whoever has control: that is how an operator pastes. */
  async setClipboard(text: string, leaseId?: string, append = false): Promise<void> {
    if (!this.#leases.isHeldBy(leaseId)) this.#refuseWhileHeld()
    const whole = append ? this.#offered + text : text
    if (Buffer.byteLength(whole) > maxTextBytes)
      throw new Problem('body-too-large', `The clipboard takes ${maxTextBytes} bytes of text at most. Set less.`)
    const withdraw = await reached(() => offerClipboard(this.#display().env, whole), 'The clipboard cannot be set')
    this.#withdrawClipboard()
    this.#withdrawClipboard = withdraw
    this.#offered = whole
  }

  #act(work: (hand: Hand) => Promise<void> | void): Promise<void> {
    this.#refuseWhileHeld()
    const acted = this.#acting.then(async () => {
      // Someone may have taken the lease while this waited for its turn.
      this.#refuseWhileHeld()
      await reached(async () => {
        const hand = await this.#reach()
        this.#refuseWhileHeld()
        await work(hand)
        await hand.screen.flush()
      }, 'The display cannot be reached')
    })
    this.#acting = acted.catch(() => {})
    return acted
  }

  async #reach(): Promise<Hand> {
    const display = this.#display()
    if (this.#hand === null || this.#hand.display !== display || !this.#hand.screen.isOpen)
      this.#hand = { display, screen: await RfbScreen.open(display.vnc), buttons: 0 }
    return this.#hand
  }

  /** Closing lets go of the buttons that are down. */
  #letGo(): void {
    if (this.#hand !== null && this.#hand.buttons !== 0) this.#hand.screen.pointer(0, 0, 0)
    this.#hand?.screen.close()
    this.#hand = null
  }

  #display(): Display {
    return this.#screens.require().display
  }

  #refuseWhileHeld(): void {
    const lease = this.#leases.standing
    if (lease === null) return
    const { operator, expiresAt } = lease
    throw new Problem(
      'held-by-operator',
      `${operator} has control of the browser until ${expiresAt}. Wait until it is given back.`,
      {
        holder: operator,
        expiresAt,
      },
    )
  }
}

function strike({ screen }: Hand, chords: readonly number[][]): void {
  for (const chord of chords) {
    for (const keysym of chord) screen.key(keysym, true)
    for (const keysym of chord.toReversed()) screen.key(keysym, false)
  }
}

async function reached<Result>(work: () => Promise<Result>, what: string): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('not-active', `${what}: ${(error as Error).message}. Stop and start the browser.`)
  }
}
