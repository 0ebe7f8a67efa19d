import type { Page } from 'playwright'

/** How long each of some frames took, in ms. */
export type FrameTimes = number[]

/** What is done in a frame, in the page; it is told which frame it is, and must not use anything from around it. */
export type Act = (frame: number) => void

/**
 * Does something in every frame, and measures each in the page itself: from the moment the frame was due until its
 * styles, layout and paint were done. A frame that the compositor kept waiting counts with the time it came too late.
 */
export function timeFrames(page: Page, count: number, act: Act): Promise<FrameTimes> {
  // As text: the content security policy lets a page make no functions of its own, and a driver knows no closures.
  return page.evaluate<FrameTimes>(`(${timeInPage})(${count}, ${act})`)
}

function timeInPage(count: number, act: Act): Promise<FrameTimes> {
  const dueEveryMs = 1000 / 60
  const times: FrameTimes = []
  let frame = 0
  let due: number | undefined
  return new Promise((resolve) => {
    const painted = new MessageChannel()
    const step = (now: number) => {
      const late = due === undefined ? 0 : now - due - dueEveryMs
      due = now
      act(frame++)
      // A message that is sent before the paint is read after it.
      painted.port1.onmessage = () => {
        times.push(Math.max(performance.now() - now, late))
        if (times.length < count) requestAnimationFrame(step)
        else resolve(times)
      }
      painted.port2.postMessage(null)
    }
    requestAnimationFrame(step)
  })
}

/**
 * Types letters one after the other, and measures in the page how long each took from the key to the paint that
 * follows it.
 */
export async function timeTyping(page: Page, text: string, everyMs: number): Promise<FrameTimes> {
  await page.evaluate(`(${listenInPage})()`)
  for (const letter of text) {
    await page.keyboard.press(letter)
    await page.waitForTimeout(everyMs)
  }
  return page.evaluate<FrameTimes>('window.typedTimes()')
}

function listenInPage(): void {
  const times: FrameTimes = []
  const onKey = ({ timeStamp }: KeyboardEvent) => {
    const painted = new MessageChannel()
    painted.port1.onmessage = () => times.push(performance.now() - timeStamp)
    requestAnimationFrame(() => painted.port2.postMessage(null))
  }
  addEventListener('keydown', onKey, { capture: true })
  Object.assign(window, {
    typedTimes: () => {
      removeEventListener('keydown', onKey, { capture: true })
      return times
    },
  })
}

/** The time that this share of the frames keeps to. */
export function within(times: readonly number[], share = 0.95): number {
  const sorted = [...times].sort((a, b) => a - b)
  const found = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]
  if (found === undefined) throw new Error('There were no frames.')
  return found
}
