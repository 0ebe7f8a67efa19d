import { setTimeout as sleep } from 'node:timers/promises'
import type { CdpConnection } from './cdp.ts'
import { type DevTools, listPages } from './devtools.ts'

/**
 * What a window must be asked to be, so that it covers its display: one row more than there is, because
 * Chromium takes a pixel off each side of a window that is exactly as large as its display. The row that is too
 * many is taken off by the display (`WindowTrim`), where the display is the agent's own.
 */
export function coveringSize(display: { width: number; height: number; dpi: number }): {
  width: number
  height: number
} {
  const scale = display.dpi / 96
  return { width: Math.round(display.width / scale), height: Math.round(display.height / scale) + 1 }
}

/** Makes the browser's window cover its display. A full-screen window has to leave that state to be moved. */
export async function fitWindow(
  cdp: CdpConnection,
  devTools: DevTools,
  display: { width: number; height: number; dpi: number },
): Promise<void> {
  const [page] = await listPages(devTools.port)
  if (page === undefined) return
  const { windowId } = await cdp.send('Browser.getWindowForTarget', { targetId: page.id })
  const set = (bounds: Record<string, unknown>) => cdp.send('Browser.setWindowBounds', { windowId, bounds })
  await set({ windowState: 'normal' })
  await set({ left: 0, top: 0, ...coveringSize(display) })
  await set({ windowState: 'fullscreen' })
}

/** Makes each window as large as the screen of a headless browser, also those that pages and engines open. */
export async function fillScreen(cdp: CdpConnection): Promise<void> {
  cdp.on('Target.targetCreated', (params) => {
    const { targetId, type } = params['targetInfo'] as { targetId: string; type: string }
    // One that is gone again needs no size.
    if (type === 'page') void fill(cdp, targetId).catch(() => {})
  })
  await cdp.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
}

async function fill(cdp: CdpConnection, targetId: string): Promise<void> {
  const { windowId, bounds } = await cdp.send('Browser.getWindowForTarget', { targetId })
  const windowState = 'fullscreen'
  // A further tab of a window that fills the screen already.
  if ((bounds as { windowState?: string }).windowState === windowState) return
  await cdp.send('Browser.setWindowBounds', { windowId, bounds: { windowState } })
}

/** A page that has not been drawn takes no input. One that takes longer than this is not waited for. */
const drawnLimitMs = 3000
const twoFrames = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))'

/** Waits until the page in front is on the screen, so that a browser said to be active can be clicked on. */
export async function firstDrawn(cdp: CdpConnection, devTools: DevTools, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(drawnLimitMs)])
  while (!late.aborted) {
    const [page] = await listPages(devTools.port)
    if (page !== undefined && (await isDrawn(cdp, page.id))) return
    await sleep(25, undefined, { signal: late }).catch(() => {})
  }
}

async function isDrawn(cdp: CdpConnection, targetId: string): Promise<boolean> {
  try {
    const page = await cdp.attach(targetId)
    const answer = await page.send('Runtime.evaluate', { expression: twoFrames, awaitPromise: true }, drawnLimitMs)
    await page.detach()
    return (answer['result'] as { value?: unknown } | undefined)?.value === true
  } catch {
    // The page moved on to another document meanwhile: it is asked again.
    return false
  }
}
