import RFB from '@novnc/novnc'
import type { PortStream } from '../../../shared/stream.ts'
import { PortChannel } from './channel.ts'
import { coverage } from './coverage.ts'
import type { Screen, ScreenEvents, ScreenLook } from './screen.ts'
import type { TextLine } from './textLine.ts'
import { takeKeyboard } from './typing.ts'

/** Longer than a key takes to the page on any connection that one can work over, by much; felt only in fast typing. */
const keysTakeMs = 120
/** Above these, keysyms are Unicode's own numbers. */
const unicodeKeysyms = 0x01000000

/**
 * Draws RFB from a stream into `target`. Clipboard messages of the other side are not listened to; text that is no key
 * goes by a line of its own, a new one for each time in control: it is opened with the lease of that time.
 */
export function openVnc(
  target: HTMLElement,
  stream: PortStream,
  beginsInControl: boolean,
  look: ScreenLook,
  events: ScreenEvents,
  openTyped: () => TextLine,
): Screen {
  const channel = new PortChannel(stream, events.onBytes)
  let closeReason = ''
  const previousClose = stream.onClose
  stream.onClose = (code, reason) => {
    if (closeReason === '') closeReason = reason
    previousClose(code, reason)
    // Said before noVNC takes its canvas away: until then it can be seen whether the picture had the keyboard.
    events.onClose(closeReason)
  }
  const rfb = new RFB(target, channel, { shared: true })
  let control = beginsInControl
  let shown = look
  rfb.background = 'transparent'
  const adjust = (look: ScreenLook) => {
    shown = look
    const { scaling, quality } = look
    // Only whoever has control may change the size of the display; the others go on fitting.
    const resizing = scaling === 'resize' && control
    rfb.scaleViewport = scaling !== 'actual'
    rfb.resizeSession = resizing
    rfb.qualityLevel = quality.vnc
    rfb.compressionLevel = quality.compression
    target.dataset['quality'] = String(quality.vnc)
  }
  const canvas = target.querySelector('canvas')
  if (canvas === null) throw new Error('noVNC made no canvas')
  canvas.dataset['testid'] = 'live-canvas'
  canvas.setAttribute('role', 'img')

  let connected = false
  rfb.addEventListener('connect', () => {
    connected = true
    // The keyboard is grabbed on connecting; setting it again ends that for a viewer.
    rfb.viewOnly = !control
  })
  rfb.addEventListener('securityfailure', (event) => {
    closeReason = event.detail.reason ?? 'the screen refused the connection'
  })
  rfb.addEventListener('credentialsrequired', () => {
    closeReason = 'the screen asks for a password, which an agent never sets'
    rfb.disconnect()
  })
  let ended = false
  rfb.addEventListener('disconnect', () => {
    ended = true
    events.onClose(closeReason)
  })
  watchDrawing(canvas, () => connected, events)
  /** Without a page, as on a desktop, a letter is a key like any other: X has a number for each. */
  const strike = (letter: string) => {
    const point = letter.codePointAt(0) ?? 0
    rfb.sendKey(point <= 0xff ? point : unicodeKeysyms | point, null)
  }
  /** Modifiers that are kept down without this keyboard, by their names. */
  const held = new Set<string>()
  let keyboard: { stop: () => void } | undefined
  let typed: TextLine | undefined
  const letGo = () => {
    keyboard?.stop()
    typed?.close()
    keyboard = undefined
    typed = undefined
  }
  const grab = () => {
    const line = openTyped()
    typed = line
    return takeKeyboard({
      canvas,
      onBlur: events.onBlur,
      onText: async (text) => {
        if (!(await line.send(text))) for (const letter of text) strike(letter)
      },
      keysTakeMs,
      holdsCommand: () => held.has('Control') || held.has('Meta'),
    })
  }
  const setControl = (now: boolean) => {
    control = now
    rfb.viewOnly = !control
    canvas.setAttribute('aria-label', control ? 'The browser, in your control' : 'The browser, view only')
    canvas.tabIndex = control ? 0 : -1
    letGo()
    if (control) keyboard = grab()
    adjust(shown)
  }
  setControl(beginsInControl)
  const modes = modeLine(stream)

  return {
    canvas,
    focus: () => rfb.focus({ preventScroll: true }),
    press(keys) {
      for (const { keysym, code } of keys) rfb.sendKey(keysym, code, true)
      for (const { keysym, code } of [...keys].reverse()) rfb.sendKey(keysym, code, false)
    },
    hold({ keysym, code, key }, down) {
      if (down) held.add(key)
      else held.delete(key)
      rfb.sendKey(keysym, code, down)
    },
    adjust,
    async become(mode) {
      // What is still typed on the way out is not let in.
      if (mode === 'view') setControl(false)
      const agreed = (await modes.ask(mode)) === mode
      if (agreed && mode === 'control') setControl(true)
      return agreed
    },
    close() {
      modes.close()
      letGo()
      if (!ended) rfb.disconnect()
    },
  }
}

/** Longer than a round trip on any connection that one can work over. */
const modeAnswerMs = 10_000

/** Asks the machine for another mode; answers come in the order of the questions. */
function modeLine(stream: PortStream) {
  const asked: ((mode: unknown) => void)[] = []
  stream.onText = (text) => asked.shift()?.((JSON.parse(text) as { mode?: unknown }).mode)
  return {
    ask: (mode: 'view' | 'control') =>
      new Promise<unknown>((resolve) => {
        asked.push(resolve)
        setTimeout(resolve, modeAnswerMs)
        stream.sendText(JSON.stringify({ type: 'mode', mode }))
      }),
    close() {
      for (const resolve of asked.splice(0)) resolve(undefined)
    },
  }
}

/**
 * noVNC tells nobody that it has drawn. Its last step is always `drawImage` on the visible canvas's
 * context, which is the same object for everyone who asks for it.
 */
function watchDrawing(canvas: HTMLCanvasElement, connected: () => boolean, events: ScreenEvents): void {
  const context = canvas.getContext('2d')
  if (context === null) return
  const covered = coverage(() => canvas)
  let complete = false
  const draw = context.drawImage.bind(context) as (...args: unknown[]) => void
  const watched = (...args: unknown[]) => {
    draw(...args)
    if (!connected()) return
    const [x, y, width, height] = args.slice(5) as number[]
    if (!complete && x !== undefined && y !== undefined && width !== undefined && height !== undefined) {
      covered.add(x, y, width, height)
      if (covered.complete) {
        complete = true
        events.onComplete()
      }
    }
    events.onFrame()
  }
  context.drawImage = watched as typeof context.drawImage
}
