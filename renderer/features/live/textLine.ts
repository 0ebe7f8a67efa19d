import type { SocketReceive, SocketSend } from '../../../shared/contract/index.ts'
import type { PortStream } from '../../../shared/stream.ts'

/** A way for text beside the picture's own keys: no keyboard layout of a display has every script. */
export interface TextLine {
  /**
   * Resolves when the page has it; also when it is not known, because keys must not wait for ever. False says that
   * there is no page to take it, or a dialog before it.
   */
  send(text: string): Promise<boolean>
  close(): void
}

const waitMs = 2000
/** The most that one message takes. */
const pieceLength = 4000

/** Opened when the first text comes, since most people type what their keyboard has. */
export function textLine(open: () => Promise<PortStream>): TextLine {
  let line: Promise<PortStream> | undefined
  let sent = 0
  let closed = false
  const waiting = new Map<number, (taken: boolean) => void>()
  const settleAll = () => {
    for (const settle of [...waiting.values()]) settle(true)
  }
  const connect = async (): Promise<PortStream> => {
    const stream = await open()
    stream.onText = (text) => {
      const message = JSON.parse(text) as SocketReceive<'watch'>
      if (message.type === 'acted') waiting.get(message.id)?.(message.taken ?? true)
    }
    stream.onClose = () => {
      line = undefined
      settleAll()
    }
    if (closed) stream.close(1000, 'the viewer left')
    return stream
  }
  const give = async (text: string): Promise<boolean> => {
    line ??= connect()
    const stream = await line.catch(() => {
      line = undefined
    })
    if (stream === undefined || closed) return false
    const id = sent++
    return new Promise((resolve) => {
      const settle = (taken: boolean) => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(taken)
      }
      const timer = setTimeout(settle, waitMs, true)
      waiting.set(id, settle)
      stream.sendText(JSON.stringify({ type: 'text', text, id } satisfies SocketSend<'watch'>))
    })
  }
  return {
    async send(text) {
      for (let from = 0; from < text.length; from += pieceLength)
        if (!(await give(text.slice(from, from + pieceLength)))) return false
      return true
    },
    close() {
      closed = true
      settleAll()
      void line?.then(
        (stream) => stream.close(1000, 'the viewer left'),
        () => {},
      )
    },
  }
}
