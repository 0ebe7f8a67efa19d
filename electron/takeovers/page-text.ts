import type { AgentClient } from '../../shared/client/client.ts'
import { Problem } from '../../shared/errors.ts'

/** The most that one message takes. */
const pieceLength = 4000
/** The most that one call takes: of text, and of JSON with what stands beside the text. */
const bodyLength = 500_000
const bodyBytes = 1_000_000
/** How many may be under way: an agent drops what it would have to keep for a page that is slow to take it. */
const mostUnderWay = 64
/** So long for the next piece: a long text takes its time, a page that hangs takes none. */
const answerMs = 20_000

/** Writes text where the cursor of the page is, as an input method does: without a display there is no clipboard. */
export async function writeIntoPage(client: Pick<AgentClient, 'open'>, text: string, leaseId: string): Promise<void> {
  const socket = await client.open('watch', { events: false, screencast: false, leaseId })
  const done = Promise.withResolvers<void>()
  const failed = (detail: string) => done.reject(new Problem('unreachable', detail))
  let limit: ReturnType<typeof setTimeout> | undefined
  const wait = () => {
    clearTimeout(limit)
    limit = setTimeout(() => failed('The page did not take the text in time. Look what of it is there.'), answerMs)
  }
  wait()
  const pieces = piecesOf(text)
  let sent = 0
  const sendOn = (taken: number) => {
    for (; sent < pieces.length && sent < taken + mostUnderWay; sent++)
      socket.send({ type: 'text', text: pieces[sent] ?? '', id: sent })
  }
  socket.onClose = () => failed('The connection ended before the page had the text. Look what of it is there.')
  socket.onMessage = (message) => {
    if (message.type === 'acted') {
      if (message.taken === false)
        return done.reject(new Problem('conflict', 'The page shows a dialog and takes no text. Answer it first.'))
      wait()
      sendOn(message.id + 1)
      if (message.id === pieces.length - 1) done.resolve()
    }
    if (message.type !== 'control') return
    if (!message.held)
      done.reject(new Problem('lease-gone', 'You do not have control of this browser any more. Take over first.'))
    else sendOn(0)
  }
  try {
    await done.promise
  } finally {
    clearTimeout(limit)
    socket.close()
  }
}

/** From here on a text is pasted: a page that is typed to lays out a long field anew with every line. */
const longLength = 20_000
/** What is left of the characters of a call's expression beside the script. */
const expressionLength = 480_000

/** Pastes a long text where the cursor is; false where that takes no paste, and nothing was done. */
export async function pasteIntoPage(execute: (expression: string) => Promise<unknown>, text: string): Promise<boolean> {
  if (text.length < longLength) return false
  let pasted = 0
  while (pasted < text.length) {
    let part = pieceFrom(text, pasted, expressionLength)
    const written = () => JSON.stringify(part)
    while (written().length > expressionLength || Buffer.byteLength(JSON.stringify(written())) > bodyBytes)
      part = pieceFrom(part, 0, Math.ceil(part.length / 2))
    if ((await execute(`(${pasteHere})(${written()})`)) !== true) break
    pasted += part.length
  }
  if (pasted > 0 && pasted < text.length)
    throw new Problem(
      'conflict',
      'The cursor left the field before the whole text was there. Look what of it is there.',
    )
  return pasted > 0
}

/** What a paste does: the page may take it itself, as editors do; else the field at the cursor has it. */
const pasteHere = `(text) => {
  let field = document.activeElement
  while (field?.contentDocument?.activeElement ?? field?.shadowRoot?.activeElement)
    field = field.contentDocument?.activeElement ?? field.shadowRoot.activeElement
  if (!field || typeof field.setRangeText !== 'function' || typeof field.selectionStart !== 'number') return false
  if (field.readOnly || field.disabled) return false
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  const all = { bubbles: true, composed: true }
  if (!field.dispatchEvent(new ClipboardEvent('paste', { ...all, cancelable: true, clipboardData }))) return true
  const { selectionStart, selectionEnd, value, maxLength } = field
  const room = maxLength < 0 ? text.length : Math.max(0, maxLength - value.length + selectionEnd - selectionStart)
  field.setRangeText(text.slice(0, room), selectionStart, selectionEnd, 'end')
  field.dispatchEvent(new InputEvent('input', { ...all, inputType: 'insertFromPaste' }))
  return true
}`

/** Cut between letters, never within one. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; from += pieces.at(-1)?.length ?? text.length)
    pieces.push(pieceFrom(text, from, pieceLength))
  return pieces
}

/** As few bodies of a call as hold the text: by letters, and by the bytes that they become in JSON. */
export function bodiesOf(text: string): string[] {
  const bodies: string[] = []
  for (let from = 0; from < text.length; ) {
    let body = pieceFrom(text, from, bodyLength)
    while (Buffer.byteLength(JSON.stringify(body)) > bodyBytes) body = pieceFrom(body, 0, Math.ceil(body.length / 2))
    bodies.push(body)
    from += body.length
  }
  return bodies
}

function pieceFrom(text: string, from: number, most: number): string {
  const end = from + most
  const last = text.charCodeAt(end - 1)
  return text.slice(from, end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end)
}

/** What is selected on a page, in a field or outside of one; as everywhere, nothing of a password. */
export const selectionOfPage = `(() => {
  let here = document
  while (here.activeElement?.contentDocument) here = here.activeElement.contentDocument
  const field = here.activeElement
  const text = typeof field?.value === 'string' && field.type !== 'password' && typeof field.selectionStart === 'number'
    ? field.value.slice(field.selectionStart, field.selectionEnd)
    : ''
  return text || String(here.getSelection() ?? '')
})()`
