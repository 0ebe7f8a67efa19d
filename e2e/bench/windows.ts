import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtConsole, nodeProgram, projectRoot } from '../rigs/built.ts'
import { type CdpPage, findPage } from '../rigs/cdp-page.ts'
import { freshFolder } from '../rigs/folder.ts'
import { type Program, startProgram } from '../rigs/program.ts'
import { startXvfb } from '../rigs/xvfb.ts'
import { cacheFleet } from './cached-fleet.ts'

export interface OpenWindow {
  program: Program
  page: CdpPage
  /** From the start of the process until what a person came for is drawn, in ms. */
  tookMs: number
}

/** The console and an empty Electron app, started the same way on the same display. */
export interface Windows {
  openConsole(): Promise<OpenWindow>
  openEmpty(): Promise<OpenWindow>
  close(): Promise<void>
}

/** What a person can act on: a row of the fleet, or the one word of the empty window. */
const usable = '[data-testid=fleet-table] [role=rowgroup] [role=row], [data-testid=usable]'
const machines = 200
const limitMs = 30_000

export async function prepareWindows(): Promise<Windows> {
  const electron = await builtConsole()
  const xvfb = await startXvfb()
  // Kept over the runs: nearly every start is not the first.
  const { folder, remove } = freshFolder('windows')
  cacheFleet(path.join(folder, 'console'), machines)
  const env = (name: string): NodeJS.ProcessEnv => ({
    ...process.env,
    ...xvfb.env,
    PILOTHOUSE_USER_DATA: path.join(folder, name),
    PILOTHOUSE_NODE: nodeProgram,
  })
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const open = (app: string, name: string) => timed(electron, [...sandbox, '--remote-debugging-port=0', app], env(name))
  return {
    openConsole: () => open(projectRoot, 'console'),
    openEmpty: () => open(path.join(import.meta.dirname, 'empty-window'), 'empty'),
    async close() {
      await xvfb.stop()
      remove()
    },
  }
}

async function timed(electron: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<OpenWindow> {
  const began = performance.now()
  const program = await startProgram(electron, args, { env })
  try {
    const page = await untilFound(program, began, async () => {
      const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(program.output())?.[1]
      return port === undefined
        ? undefined
        : findPage(`http://127.0.0.1:${port}`, (url) => url !== '' && url !== 'about:blank')
    })
    // A frame is drawn only in a window that is shown.
    const drawn = `document.querySelector(${JSON.stringify(usable)}) !== null && document.visibilityState === 'visible' &&
      new Promise((resolve) => requestAnimationFrame(() => resolve(true)))`
    await untilFound(program, began, async () => (await page.evaluate<boolean>(drawn)) || undefined)
    return { program, page, tookMs: performance.now() - began }
  } catch (error) {
    await program.end()
    throw error
  }
}

/** Asked every few milliseconds: the wait between two questions is part of what is measured. */
async function untilFound<Found>(
  program: Program,
  began: number,
  ask: () => Promise<Found | undefined>,
): Promise<Found> {
  for (;;) {
    const found = await ask().catch(() => undefined)
    if (found !== undefined) return found
    if (program.exitCode !== undefined) throw new Error(`Electron ended with ${program.exitCode}:\n${program.output()}`)
    if (performance.now() - began > limitMs) throw new Error(`No usable window in ${limitMs} ms:\n${program.output()}`)
    await sleep(4)
  }
}
