import type { Page } from '../pages/page.ts'
import type { Command } from './methods.ts'

/** Keys and buttons that are down, as the commands that pressed them said it. */
export interface HeldInput {
  keys: Record<string, unknown>[]
  buttons: Record<string, unknown>[]
}

/** No keyboard has this many: a client that sends more is not one to be remembered for. */
const most = 256
const releaseMs = 3000

/** Remembers what a client of the browser holds down, so that somebody can let go of it when it no longer may. */
export class HeldInputs {
  readonly #keys = new Map<string, Record<string, unknown>>()
  readonly #buttons = new Map<string, Record<string, unknown>>()

  note({ method, params }: Command): void {
    if (method === 'Input.dispatchKeyEvent') {
      const name = String(params['code'] ?? params['key'])
      if (params['type'] === 'keyUp') this.#keys.delete(name)
      else if (params['type'] !== 'char' && this.#keys.size < most) this.#keys.set(name, params)
    } else if (method === 'Input.dispatchMouseEvent') {
      const name = String(params['button'])
      if (params['type'] === 'mousePressed') this.#buttons.set(name, params)
      else if (params['type'] === 'mouseReleased') this.#buttons.delete(name)
    }
  }

  /** What is down, which is then no longer thought to be: whoever asks lets go of it. */
  take(): HeldInput {
    const held = { keys: [...this.#keys.values()], buttons: [...this.#buttons.values()] }
    this.#keys.clear()
    this.#buttons.clear()
    return held
  }
}

/** Lets go of keys and buttons on the page in front. A page that hangs or went away is not waited for. */
export async function releaseHeld(page: Page | null, ...helds: readonly HeldInput[]): Promise<void> {
  if (page === null) return
  const send = (method: string, params: Record<string, unknown>) => page.cdp.send(method, params, releaseMs)
  // All at once: where a dialog keeps the page from answering, all of it is done when that is gone.
  await Promise.allSettled([
    ...helds
      .flatMap(({ keys }) => keys)
      .map(({ key, code, windowsVirtualKeyCode }) =>
        send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode }),
      ),
    ...helds
      .flatMap(({ buttons }) => buttons)
      .map(({ button, x, y }) =>
        send('Input.dispatchMouseEvent', { type: 'mouseReleased', button, x, y, clickCount: 1 }),
      ),
  ])
}
