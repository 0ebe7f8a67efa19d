import { Problem } from '../../shared/errors.ts'
import { awaitElement, awaitReady, ownerOf, type Point } from './elements.ts'
import type { FileChoosers } from './file-choosers.ts'
import type { Frame } from './frames.ts'
import { askFrame, callInFrame } from './in-frame.ts'
import { chooseOption, isFileField, isInTheMiddle, scrollElement, scrollPage } from './in-page.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

/** Throws while a person has control. Asked again before each thing that is done: a takeover may come in between. */
export type MayAct = () => void
export type Button = 'left' | 'middle' | 'right'

const buttonBits: Record<Button, number> = { left: 1, right: 2, middle: 4 }

export async function click(
  page: Page,
  operation: Operation,
  mayAct: MayAct,
  params: { selector: string; button: Button; clickCount: number },
): Promise<void> {
  const { point } = await awaitReady(page, operation, params.selector)
  const { button, clickCount } = params
  mayAct()
  await page.input(operation, async () => {
    await movePointer(page, operation, point)
    for (let count = 1; count <= clickCount; count++) {
      const press = { ...point, button, clickCount: count }
      await mouse(page, operation, { type: 'mousePressed', ...press, buttons: buttonBits[button] })
      await mouse(page, operation, { type: 'mouseReleased', ...press, buttons: 0 })
    }
  })
}

export async function hover(page: Page, operation: Operation, mayAct: MayAct, selector: string): Promise<void> {
  const { point } = await awaitReady(page, operation, selector, false)
  mayAct()
  await page.input(operation, () => movePointer(page, operation, point))
}

/** Chooses an option, once there is one of that value or text. */
export async function select(
  page: Page,
  operation: Operation,
  mayAct: MayAct,
  params: { selector: string; value: string },
): Promise<void> {
  for (;;) {
    const element = await awaitReady(page, operation, params.selector)
    mayAct()
    let choice: string | undefined
    await page.input(operation, async () => {
      choice = await callInFrame(element.frame, operation, chooseOption, element, params.value)
    })
    if (choice === 'not-a-select') {
      throw new Problem('conflict', `"${params.selector}" is not a <select>. Click it, and then what it opens.`)
    }
    if (choice !== 'no-option') return
    operation.dialogIs = 'obstacle'
    operation.waitingFor(
      () =>
        new Problem(
          'not-found',
          `"${params.selector}" has no enabled option of that value or text. Read its options with content.`,
        ),
    )
    await operation.pause(50)
  }
}

export async function scroll(
  page: Page,
  operation: Operation,
  mayAct: MayAct,
  params: { selector?: string | undefined; x: number; y: number },
): Promise<void> {
  if (params.selector === undefined) {
    const { main } = page.frames
    mayAct()
    if (main !== undefined) await scrollMiddle(page, operation, main, params)
    return
  }
  const element = await awaitElement(page, operation, params.selector)
  mayAct()
  await callInFrame(element.frame, operation, scrollElement, element, params.x, params.y)
}

/** Scrolls what is in the middle: the frame there, if there is one that can be scrolled. */
async function scrollMiddle(page: Page, operation: Operation, frame: Frame, by: Point): Promise<boolean> {
  for (const inner of page.frames.list()) {
    if (page.frames.parentOf(inner) !== frame) continue
    const scrolled = await askFrame(inner, operation, async () => {
      const owner = await ownerOf(operation, inner.id, frame)
      return (await callInFrame(frame, operation, isInTheMiddle, owner)) && scrollMiddle(page, operation, inner, by)
    })
    if (scrolled?.value === true) return true
  }
  return callInFrame(frame, operation, scrollPage, by.x, by.y)
}

/** Puts a file into a file field, which is hidden on many pages and need not be seen for this. */
export async function upload(
  page: Page,
  operation: Operation,
  mayAct: MayAct,
  params: { selector: string; file: string },
): Promise<void> {
  const element = await awaitElement(page, operation, params.selector)
  if (!(await callInFrame(element.frame, operation, isFileField, element))) {
    throw new Problem(
      'conflict',
      `"${params.selector}" is not a file field. Give the selector of its <input type="file">.`,
    )
  }
  mayAct()
  const { objectId } = element
  const given = { objectId, files: [params.file] }
  await page.input(operation, () => element.frame.cdp.send('DOM.setFileInputFiles', given, operation.leftMs()))
}

/** Gives the field that was clicked its file; with none, it hears that the person changed their mind. */
export async function answerChooser(
  choosers: FileChoosers,
  page: Page,
  operation: Operation,
  mayAct: MayAct,
  file: string | null,
): Promise<void> {
  const chooser = choosers.of(page)
  if (chooser === null)
    throw new Problem('not-found', 'No page waits for a file. Click its file field, or give the selector of one.')
  mayAct()
  const { cdp, backendNodeId } = chooser
  if (file === null) {
    const { object } = await cdp.send('DOM.resolveNode', { backendNodeId }, operation.leftMs())
    const { objectId } = object as { objectId?: string }
    const functionDeclaration = `function () { this.dispatchEvent(new Event('cancel', { bubbles: true })) }`
    const call = { objectId, functionDeclaration }
    await page.input(operation, () => cdp.send('Runtime.callFunctionOn', call, operation.leftMs()))
  } else {
    const given = { backendNodeId, files: [file] }
    await page.input(operation, () => cdp.send('DOM.setFileInputFiles', given, operation.leftMs()))
  }
  // Taking it may have made the page ask for the next one.
  if (choosers.of(page) === chooser) choosers.drop(page)
}

function movePointer(page: Page, operation: Operation, point: Point): Promise<unknown> {
  return mouse(page, operation, { type: 'mouseMoved', ...point, button: 'none', buttons: 0 })
}

function mouse(page: Page, operation: Operation, event: Record<string, unknown>): Promise<unknown> {
  return page.cdp.send('Input.dispatchMouseEvent', event, operation.leftMs())
}
