import type { PageInput } from '../../shared/contract/browser.ts'
import type { CdpSession } from './cdp.ts'

const buttonBits: Record<string, number> = { left: 1, right: 2, middle: 4, back: 8, forward: 16 }

/** A controller's mouse and keyboard, as CDP input on one page; remembers what is held down. */
export class PageInputDriver {
  readonly #keysDown = new Map<string, Extract<PageInput, { type: 'key' }>>()
  readonly #buttonsDown = new Set<string>()
  #position = { x: 0, y: 0 }

  async act(page: CdpSession, input: PageInput): Promise<void> {
    if (input.type === 'text') await page.send('Input.insertText', { text: input.text })
    else if (input.type === 'key') await this.#key(page, input)
    else await this.#mouse(page, input)
  }

  /** Lets go of every key and button that is down. */
  async release(page: CdpSession): Promise<void> {
    const keys = [...this.#keysDown.values()]
    const buttons = [...this.#buttonsDown]
    for (const key of keys) await this.#key(page, { ...key, event: 'up', modifiers: 0 })
    for (const button of buttons) {
      this.#buttonsDown.delete(button)
      await page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...this.#position, button, clickCount: 1 })
    }
  }

  #key(page: CdpSession, input: Extract<PageInput, { type: 'key' }>): Promise<unknown> {
    const { key, code, keyCode, modifiers, event } = input
    const name = code === '' ? key : code
    if (event === 'down' && this.#keysDown.size < 256) this.#keysDown.set(name, input)
    else this.#keysDown.delete(name)
    return page.send('Input.dispatchKeyEvent', {
      type: event === 'down' ? 'keyDown' : 'keyUp',
      key,
      code,
      modifiers,
      windowsVirtualKeyCode: keyCode,
      // Control, Alt and Meta make a command of a letter, not a text.
      ...(event === 'down' && (modifiers & 7) === 0 ? { text: textOf(key) } : {}),
    })
  }

  #mouse(page: CdpSession, input: Extract<PageInput, { type: 'mouse' }>): Promise<unknown> {
    const { x, y, button, clickCount, deltaX, deltaY, modifiers, event } = input
    this.#position = { x, y }
    if (event === 'down' && button !== 'none') this.#buttonsDown.add(button)
    if (event === 'up') this.#buttonsDown.delete(button)
    const buttons = [...this.#buttonsDown].reduce((bits, name) => bits | (buttonBits[name] ?? 0), 0)
    const type = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased', wheel: 'mouseWheel' }[event]
    return page.send('Input.dispatchMouseEvent', {
      ...{ type, x, y, button, buttons, modifiers },
      ...(event === 'wheel' ? { deltaX, deltaY } : { clickCount }),
    })
  }
}

function textOf(key: string): string {
  if (key === 'Enter') return '\r'
  return [...key].length === 1 ? key : ''
}
