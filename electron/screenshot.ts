import fs from 'node:fs/promises'
import path from 'node:path'
import type { BrowserWindow } from 'electron'

/** A browser on a busy machine takes a while; more than this is a failure. */
const limitMs = 60_000
/** Two frames at 60 Hz and some room, so that what was reported as shown is on the screen. */
const settleMs = 100

export interface ScreenshotJob {
  livePictureShown(): void
  /** Exit code; what happened has been printed. */
  readonly done: Promise<number>
}

/** Waits for the live picture, saves what the window shows and says so. */
export function takeScreenshot(file: string, window: () => BrowserWindow | undefined): ScreenshotJob {
  const shown = Promise.withResolvers<void>()
  const limit = setTimeout(() => {
    shown.reject(new Error(`the live view showed no page within ${limitMs / 1000} s`))
  }, limitMs)
  const work = async () => {
    await shown.promise
    clearTimeout(limit)
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    const picture = await window()?.webContents.capturePage()
    if (picture === undefined || picture.isEmpty()) throw new Error('the window has no picture')
    await fs.mkdir(path.dirname(file), { recursive: true })
    await fs.writeFile(file, picture.toPNG())
  }
  const done = work().then(
    () => {
      process.stdout.write(`saved ${file}\n`)
      return 0
    },
    (error: unknown) => {
      process.stderr.write(`no screenshot: ${error instanceof Error ? error.message : String(error)}\n`)
      return 1
    },
  )
  return { livePictureShown: () => shown.resolve(), done }
}
