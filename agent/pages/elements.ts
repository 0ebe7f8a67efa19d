import { Problem } from '../../shared/errors.ts'
import { askFrame, callInFrame, enterFrame, findInFrame, type Handle, releaseFrame } from './in-frame.ts'
import { deepFind, isSeen, type Readiness, settle, throughFrame } from './in-page.ts'
import { isMovingOn, onceItStays } from './moving-on.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

/** How often an element that is not there yet is looked for. */
const lookEveryMs = 50
/** How long a frame within the page has to answer while it is looked for: the page itself is to be looked at again. */
const lookMs = 250

export interface Point {
  x: number
  y: number
}

/**
 * Finds the first element of a selector: in the page, then in its frames, those of other processes included,
 * in each of them through open shadow roots. Null when there is none now; frames that do not answer are passed by.
 */
export async function findElement(
  page: Page,
  operation: Operation,
  selector: string,
  frameLimitMs?: number,
): Promise<Handle | null> {
  const find = (frame: Handle['frame']) => findInFrame(frame, operation, deepFind, selector)
  for (const frame of page.frames.list()) {
    try {
      const found = await askFrame(frame, operation, find, frameLimitMs)
      if (found !== undefined && found.value !== null) return found.value
    } catch (error) {
      // A frame may be gone, or on its way to another document; the page itself is looked at again.
      if (error instanceof Problem && (error.code === 'invalid-selector' || error.code === 'timeout')) throw error
      if (operation.signal.aborted || (frame.parentId === null && isMovingOn(error))) throw error
    }
  }
  return null
}

/** Waits for an element to be there. */
export async function awaitElement(page: Page, operation: Operation, selector: string): Promise<Handle> {
  for (;;) {
    const found = await onceItStays(operation, () => findElement(page, operation, selector, lookMs))
    if (found !== null) return found
    operation.waitingFor(() => new Problem('not-found', `No element matches ${quoted(selector)}. Check the selector.`))
    await operation.pause(lookEveryMs)
  }
}

/** Waits for an element that a pointer would reach: there, seen, enabled, still and not covered. */
export async function awaitReady(
  page: Page,
  operation: Operation,
  selector: string,
  enabled = true,
): Promise<Handle & { point: Point }> {
  for (let attempt = 0; ; attempt++) {
    const element = await awaitElement(page, operation, selector)
    const readiness = await readinessOf(page, operation, element, attempt, enabled)
    if (readiness.state === 'ready') return { ...element, point: { x: readiness.x, y: readiness.y } }
    operation.waitingFor(() => notReady(selector, readiness))
    await operation.pause(lookEveryMs)
  }
}

/** Waits until the element is as asked. */
export async function elementIs(
  page: Page,
  operation: Operation,
  selector: string,
  state: 'visible' | 'hidden' | 'attached',
): Promise<true> {
  for (;;) {
    const element = await findElement(page, operation, selector, lookMs).catch((error: unknown) => {
      if (!isMovingOn(error)) throw error
      return undefined
    })
    if (element === undefined) {
      await operation.pause(lookEveryMs)
      continue
    }
    if (state === 'attached' && element !== null) return true
    if (state !== 'attached') {
      const seen = element !== null && (await callInFrame(element.frame, operation, isSeen, element).catch(() => null))
      if (seen !== null && seen === (state === 'visible')) return true
    }
    await operation.pause(lookEveryMs)
  }
}

/** Lets go of everything that was held in the page. */
export function release(page: Page): void {
  for (const frame of page.frames.list()) releaseFrame(frame)
}

async function readinessOf(
  page: Page,
  operation: Operation,
  element: Handle,
  attempt: number,
  enabled: boolean,
): Promise<Readiness> {
  try {
    const inside = await callInFrame(element.frame, operation, settle, element, attempt, enabled)
    return inside.state === 'ready' ? await toPage(page, operation, element, inside) : inside
  } catch (error) {
    // A question that is out of time says nothing of the element.
    if (operation.signal.aborted || (error instanceof Problem && error.code === 'timeout')) throw error
    return { state: 'gone' }
  }
}

/** From a frame's own coordinates to those of the page, frame by frame, each of which may be covered as well. */
async function toPage(page: Page, operation: Operation, element: Handle, place: Point): Promise<Readiness> {
  let { x, y } = place
  for (let { frame } = element; ; ) {
    const parent = page.frames.parentOf(frame)
    if (parent === undefined) return { state: 'ready', x, y }
    const owner = await ownerOf(operation, frame.id, parent)
    const outside = await callInFrame(parent, operation, throughFrame, owner, x, y)
    if (outside.coveredBy !== null) return { state: 'covered', by: outside.coveredBy }
    ;({ x, y } = outside)
    frame = parent
  }
}

/** Where a place in an element's frame is in the page. */
export async function inPage(page: Page, operation: Operation, element: Handle, place: Point): Promise<Point> {
  let point = place
  for (let { frame } = element; ; ) {
    const parent = page.frames.parentOf(frame)
    if (parent === undefined) return point
    point = await callInFrame(
      parent,
      operation,
      throughFrame,
      await ownerOf(operation, frame.id, parent),
      point.x,
      point.y,
    )
    frame = parent
  }
}

export async function ownerOf(operation: Operation, frameId: string, parent: Handle['frame']): Promise<Handle> {
  const { backendNodeId } = await parent.cdp.send('DOM.getFrameOwner', { frameId }, operation.leftMs())
  const executionContextId = await enterFrame(parent, operation)
  const { object } = await parent.cdp.send('DOM.resolveNode', { backendNodeId, executionContextId }, operation.leftMs())
  const objectId = String((object as { objectId?: unknown }).objectId)
  return { frame: parent, contextId: executionContextId, objectId }
}

function notReady(selector: string, readiness: Exclude<Readiness, { state: 'ready' }>): Problem {
  const why = {
    gone: 'comes and goes',
    hidden: 'is there, but cannot be seen',
    disabled: 'is disabled',
    moving: 'does not stand still',
    outside: 'lies where nothing can be scrolled to',
    covered: `is covered by ${readiness.state === 'covered' ? readiness.by : ''}`,
  }[readiness.state]
  const covering = readiness.state === 'covered' ? { coveredBy: readiness.by } : {}
  return new Problem('timeout', `The element ${quoted(selector)} ${why}. Wait for the page, or act on what is there.`, {
    reason: readiness.state,
    ...covering,
  })
}

function quoted(selector: string): string {
  return `"${selector.slice(0, 200)}"`
}
