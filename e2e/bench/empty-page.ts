import path from 'node:path'
import { _electron, type Page } from 'playwright'
import { builtConsole } from '../rigs/built.ts'
import { freshFolder } from '../rigs/folder.ts'
import { startXvfb } from '../rigs/xvfb.ts'
import { timeFrames } from './frames.ts'

/** The least a page can be, in the same Electron: a field to type into and a long way to scroll, with nothing on it. */
export interface EmptyPage {
  page: Page
  /** Frames of it while it scrolls: what this computer can do at all. */
  scroll(count: number): Promise<number[]>
  /** Puts the keyboard into its field. */
  focus(): Promise<void>
  stop(): Promise<void>
}

export async function startEmptyPage(): Promise<EmptyPage> {
  const electron = await builtConsole()
  const xvfb = await startXvfb()
  const { folder, remove } = freshFolder('empty')
  const isRoot = process.getuid?.() === 0
  const app = await _electron.launch({
    executablePath: electron,
    args: [path.join(import.meta.dirname, 'empty-window')],
    env: { ...process.env, ...xvfb.env, PILOTHOUSE_USER_DATA: folder } as Record<string, string>,
    chromiumSandbox: !isRoot,
  })
  const page = await app.firstWindow({ timeout: 60_000 })
  await page.evaluate(() => {
    const field = document.createElement('input')
    field.style.position = 'fixed'
    const way = document.createElement('div')
    way.style.height = '9000000px'
    document.body.replaceChildren(field, way)
  })
  return {
    page,
    scroll: (count) =>
      timeFrames(page, count, (frame) => {
        window.scrollTo(0, frame * 57)
      }),
    focus: () => page.evaluate(() => document.querySelector('input')?.focus()),
    async stop() {
      await app.close()
      await xvfb.stop()
      remove()
    },
  }
}
