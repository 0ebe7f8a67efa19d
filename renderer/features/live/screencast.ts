import type { SocketReceive } from '../../../shared/contract/index.ts'
import type { PortStream } from '../../../shared/stream.ts'
import styles from './live.module.css'
import { modifiersIn, type PageInput, pressTogether, sendInput } from './pageInput.ts'
import type { Screen, ScreenEvents, ScreenKey, ScreenLook } from './screen.ts'
import { takeKeyboard } from './typing.ts'

/** Draws the page's own screencast, where there is no display to show: one JPEG after the other. */
export function openScreencast(
  target: HTMLElement,
  stream: PortStream,
  control: boolean,
  look: ScreenLook,
  events: ScreenEvents,
): Screen {
  const canvas = document.createElement('canvas')
  canvas.className = styles['screencast'] ?? ''
  canvas.dataset['testid'] = 'live-canvas'
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', control ? 'The browser, in your control' : 'The browser, view only')
  canvas.tabIndex = control ? 0 : -1
  target.append(canvas)
  const context = canvas.getContext('2d')
  let page = { width: 1, height: 1 }
  let complete = false
  let closing = false

  stream.onText = (text) => {
    const message = JSON.parse(text) as SocketReceive<'watch'>
    if (message.type === 'frame') page = { width: message.width, height: message.height }
    else if (message.type === 'dialog') events.onDialog(message.dialog)
    else if (message.type === 'file-chooser') events.onChooser(message.chooser)
    else if (message.type === 'download') events.onDownload(message)
    else if (message.type === 'crash' || message.type === 'navigation') events.onCrashed(message.type === 'crash')
  }
  // The promise holds the acknowledgement back: a slow window gets fewer pictures, not a longer queue.
  stream.onBytes = async (bytes) => {
    events.onBytes(bytes.byteLength)
    const bitmap = await createImageBitmap(new Blob([bytes.slice()], { type: 'image/jpeg' })).catch(() => null)
    if (bitmap === null || closing) return
    if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
      canvas.width = bitmap.width
      canvas.height = bitmap.height
    }
    context?.drawImage(bitmap, 0, 0)
    bitmap.close()
    if (!complete) {
      complete = true
      events.onComplete()
    }
    events.onFrame()
  }
  stream.onClose = (_code, reason) => {
    if (!closing) events.onClose(reason)
  }

  const send = (input: PageInput) => void stream.sendText(JSON.stringify(input))
  const held = new Map<string, ScreenKey>()
  const input = control
    ? sendInput(
        canvas,
        () => page,
        send,
        () => modifiersIn([...held.values()]),
      )
    : undefined
  const keyboard = control
    ? takeKeyboard({
        canvas,
        layersAsText: true,
        holdsCommand: () => (modifiersIn([...held.values()]) & 6) !== 0,
        onText: (text) => send({ type: 'text', text: text.slice(0, 4096) }),
        onBlur: (to) => {
          input?.release()
          events.onBlur(to)
        },
      })
    : undefined
  const adjust = ({ scaling }: ScreenLook) => {
    canvas.dataset['scaling'] = scaling
    target.classList.toggle(styles['scrolled'] ?? 'scrolled', scaling === 'actual')
  }
  adjust(look)
  return {
    canvas,
    focus: () => canvas.focus({ preventScroll: true }),
    press(keys) {
      if (!control) return
      for (const one of pressTogether(keys)) send(one)
    },
    hold(key, down) {
      if (!control) return
      if (down) held.set(key.code, key)
      else held.delete(key.code)
      const modifiers = modifiersIn([...held.values()])
      send({ type: 'key', event: down ? 'down' : 'up', key: key.key, code: key.code, keyCode: key.keyCode, modifiers })
    },
    adjust,
    close() {
      closing = true
      keyboard?.stop()
      input?.stop()
      stream.close(1000, 'the viewer left')
      canvas.remove()
    },
  }
}
