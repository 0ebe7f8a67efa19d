import { Problem } from '../../shared/errors.ts'
import type { MayAct } from './act.ts'
import { awaitReady } from './elements.ts'
import { callInFrame } from './in-frame.ts'
import { enterField, insertLines, setValue } from './in-page.ts'
import { backspace, type KeyStroke, strokeFor } from './keys.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

/** Texts beyond this are put in as a whole, as a paste would: key by key they take longer than anyone waits. */
const typedByKey = 2000
/** Keys that are on their way to the page at the same time. */
const inFlight = 25

/** How long typing may take beyond the wait for its field and the pauses that were asked for. */
const typingMs = 10_000
/** The longest that those pauses may take in all. */
const maxPausesMs = 300_000

/** Refuses a text whose pauses between the keys would take longer than anyone waits. */
export function checkPauses({ text, delay }: { text: string; delay: number }): void {
  if (text.length * delay <= maxPausesMs) return
  const fits = `At ${delay} ms a key at most ${Math.floor(maxPausesMs / delay)} characters can be typed`
  throw new Problem('invalid-params', `${fits}, and the text has ${text.length}. Give less text, or a shorter delay.`)
}

export async function type(
  page: Page,
  operation: Operation,
  mayAct: MayAct,
  params: { selector: string; text: string; delay: number; clear: boolean },
): Promise<void> {
  const { text, delay, clear } = params
  const element = await awaitReady(page, operation, params.selector)
  mayAct()
  const field = await callInFrame(element.frame, operation, enterField, element, clear)
  if (field === 'read-only' || field === 'not-editable') {
    const why = field === 'read-only' ? 'is read-only' : 'takes no text'
    throw new Problem('conflict', `"${params.selector}" ${why}. Give the selector of a field that does.`)
  }
  // A key that it has no use for does nothing there, and nobody would be told.
  if (field === 'number' && !/\d|^[-+.,e]?$/i.test(text))
    throw new Problem('conflict', `"${params.selector}" takes a number. Give one, such as 12.5.`)
  operation.extend(typingMs + text.length * delay)
  operation.waitingFor(() => new Problem('timeout', 'The page takes the text too slowly. Give less, or more time.'))
  await page.input(operation, async () => {
    if (field === 'value') {
      if (!(await callInFrame(element.frame, operation, setValue, element, text)))
        throw new Problem(
          'conflict',
          `"${params.selector}" does not take that value. Give it as the field keeps it, such as 2026-01-31.`,
        )
      return
    }
    if (clear) await press(page, operation, backspace)
    if (text.length > typedByKey && delay === 0) {
      const rest = await callInFrame(element.frame, operation, insertLines, element, text.replace(/\r\n?/g, '\n'))
      await insert(page, operation, rest)
    } else await typeKeys(page, operation, mayAct, [...text.replace(/\r\n/g, '\n')], delay)
  })
}

async function typeKeys(
  page: Page,
  operation: Operation,
  mayAct: MayAct,
  characters: string[],
  delay: number,
): Promise<void> {
  let sent: Promise<unknown>[] = []
  for (const character of characters) {
    // The dialog that the last key opened would take the next ones.
    if (page.dialog !== null || page.closed || operation.signal.aborted) return
    mayAct()
    const stroke = strokeFor(character)
    const typed = stroke === undefined ? insert(page, operation, character) : press(page, operation, stroke)
    // Looked at below; one that fails while a takeover stops the rest must not be taken for a bug.
    typed.catch(() => {})
    sent.push(typed)
    if (delay === 0 && sent.length < inFlight) continue
    await Promise.all(sent)
    sent = []
    if (delay > 0) await operation.pause(delay)
  }
  await Promise.all(sent)
}

function insert(page: Page, operation: Operation, text: string): Promise<unknown> {
  return page.cdp.send('Input.insertText', { text }, operation.leftMs())
}

function press(page: Page, operation: Operation, stroke: KeyStroke): Promise<unknown> {
  const { text, ...key } = stroke
  const down = { type: text === '' ? 'rawKeyDown' : 'keyDown', ...key, ...(text === '' ? {} : { text }) }
  return Promise.all([
    page.cdp.send('Input.dispatchKeyEvent', down, operation.leftMs()),
    page.cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key }, operation.leftMs()),
  ])
}
