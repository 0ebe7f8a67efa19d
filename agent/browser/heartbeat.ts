import { setTimeout as sleep } from 'node:timers/promises'
import type { Display } from '../display/display.ts'
import { connectVnc } from '../display/vnc-connect.ts'
import { XPulse } from '../display/x11-pulse.ts'
import type { CdpConnection } from './cdp.ts'

/** How often the parts are asked whether they are alive, when it is said that one is not, and when it is given up. */
export interface Pulse {
  everyMs: number
  noticeMs: number
  limitMs: number
}
/** Silence is said within two seconds; a machine that is only busy has ten before anything is ended. */
export const usualPulse: Pulse = { everyMs: 500, noticeMs: 1400, limitMs: 10_000 }
/** The exit of a program is noticed by itself, and says more than its silence. */
const exitFirstMs = 200
/** A VNC server that is the X server as well is known to live by that; this only looks whether it lets anyone in. */
const seldom = 10

interface Part {
  name: string
  /** Asked every so many times only. */
  every: number
  /** Before the clock runs: what is being started again is not silent. */
  ready?: () => Promise<unknown> | undefined
  ask: (limitMs: number) => Promise<unknown>
  /** Whether it was left by its other end: that is noticed by itself, and is no silence. */
  closed?: () => boolean
}

/** A frozen program does not exit: it has to be asked, again and again. */
export class Heartbeat {
  /** Settles with the reason when a part is given up; never while all is well. */
  readonly stopped: Promise<string>
  readonly #silent = new Map<string, string>()
  readonly #listeners = new Set<() => void>()

  constructor(parts: { cdp?: CdpConnection; display: Display | null }, ended: AbortSignal, pulse = usualPulse) {
    this.stopped = Promise.race(partsOf(parts, ended).map((part) => this.#watch(part, ended, pulse)))
  }

  /** Which parts do not answer at the moment, as a sentence; undefined while all do. */
  get silence(): string | undefined {
    return this.#silent.size === 0 ? undefined : [...this.#silent.values()].join(' ')
  }

  /** Calls back when a part falls silent or answers again; returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #watch(part: Part, ended: AbortSignal, { everyMs, noticeMs, limitMs }: Pulse): Promise<string> {
    const forever = new Promise<never>(() => {})
    try {
      for (;;) {
        await sleep(everyMs * part.every, undefined, { signal: ended, ref: false })
        await part.ready?.()
        const notice = setTimeout(() => {
          if (!ended.aborted) this.#say(part.name, `${part.name} has not answered for ${noticeMs / 1000} s.`)
        }, noticeMs)
        await part.ask(limitMs).finally(() => clearTimeout(notice))
        this.#say(part.name, undefined)
      }
    } catch (error) {
      if (ended.aborted || part.closed?.() === true) return forever
      await sleep(exitFirstMs)
      return `A part of the browser does not answer any more: ${(error as Error).message}`
    }
  }

  #say(name: string, silence: string | undefined): void {
    if (this.#silent.get(name) === silence) return
    if (silence === undefined) this.#silent.delete(name)
    else this.#silent.set(name, silence)
    for (const listener of this.#listeners) listener()
  }
}

function partsOf({ cdp, display }: { cdp?: CdpConnection; display: Display | null }, ended: AbortSignal): Part[] {
  const parts: Part[] = []
  if (cdp !== undefined) {
    const ask = (timeoutMs: number) => cdp.send('Browser.getVersion', {}, { timeoutMs })
    parts.push({ name: 'Chromium', every: 1, ask, closed: () => !cdp.open })
  }
  if (display === null) return parts
  const { keptVnc } = display
  const x = new XPulse(display.env, ended)
  parts.push({ name: 'The display', every: 1, ask: (limitMs) => x.ask(limitMs) })
  parts.push({
    name: 'The VNC server',
    every: keptVnc === null ? seldom : 1,
    ready: () => keptVnc?.ready,
    ask: (limitMs) => vncAnswers(display, limitMs),
  })
  return parts
}

/** A VNC server beside the display that does not answer is replaced; one that is the display is the browser's end. */
async function vncAnswers({ vnc, keptVnc }: Display, limitMs: number): Promise<void> {
  try {
    ;(await connectVnc(vnc, limitMs)).destroy()
  } catch (error) {
    if (keptVnc === null) throw error
    await keptVnc.replace()
  }
}
