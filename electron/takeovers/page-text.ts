import type { AgentClient } from '../../shared/client/client.ts'
import { Problem } from '../../shared/errors.ts'

/** The most that one message takes. */
const pieceLength = 4000
const answerMs = 20_000

/** Writes text where the cursor of the page is, as an input method does: without a display there is no clipboard. */
export async function writeIntoPage(client: Pick<AgentClient, 'open'>, text: string, leaseId: string): Promise<void> {
  const socket = await client.open('watch', { events: false, screencast: false, leaseId })
  const done = Promise.withResolvers<void>()
  const failed = (detail: string) => done.reject(new Problem('unreachable', detail))
  const limit = setTimeout(() => failed('The page did not take the text in time. Look what of it is there.'), answerMs)
  const pieces = piecesOf(text)
  socket.onClose = () => failed('The connection ended before the page had the text. Look what of it is there.')
  socket.onMessage = (message) => {
    if (message.type === 'acted' && message.id === pieces.length - 1) done.resolve()
    if (message.type !== 'control') return
    if (!message.held)
      done.reject(new Problem('lease-gone', 'You do not have control of this browser any more. Take over first.'))
    else for (const [id, piece] of pieces.entries()) socket.send({ type: 'text', text: piece, id })
  }
  try {
    await done.promise
  } finally {
    clearTimeout(limit)
    socket.close()
  }
}

/** Cut between letters, never within one. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = from + pieceLength
    const last = text.charCodeAt(end - 1)
    const to = end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
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
