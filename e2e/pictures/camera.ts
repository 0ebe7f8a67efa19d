import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright'
import { ask } from '../rigs/ipc.ts'

/** Takes pictures of a window, each in both themes, into one folder. */
export interface Camera {
  /** `prepare` brings about what is to be seen, after the place was gone to. */
  take(name: string, place: string | null, prepare?: () => Promise<void>): Promise<void>
}

export function cameraFor(window: Page, folder: string, wanted: (name: string) => boolean): Camera {
  fs.mkdirSync(folder, { recursive: true })
  return {
    async take(name, place, prepare) {
      if (!wanted(name)) return
      if (place !== null)
        await window.evaluate((hash) => {
          location.hash = hash
        }, place)
      await settled(window)
      await prepare?.()
      for (const theme of ['dark', 'light'] as const) {
        await ask(window, 'settings.set', { theme })
        await window.locator(`html[data-theme=${theme}]`).waitFor()
        await settled(window)
        await window.screenshot({ path: path.join(folder, `${name}-${theme}.png`) })
      }
      process.stdout.write(`✓ ${name}\n`)
    },
  }
}

/** Until what was asked for has come and nothing moves; what moves for good is taken as it is. */
export function settled(window: Page): Promise<void> {
  return window.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    for (let quiet = 0, tried = 0; quiet < 8 && tried < 90; tried++) {
      const before = document.body.innerHTML.length
      await frame()
      await frame()
      quiet = document.body.innerHTML.length === before ? quiet + 1 : 0
    }
  })
}
