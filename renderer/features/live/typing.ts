import { isMac } from '../../ui/keys.ts'
import styles from './live.module.css'

interface TypingOptions {
  /** Gets the keys, as if it had the focus itself. */
  canvas: HTMLCanvasElement
  /**
   * Text that is no key of a plain keyboard: composed by an input method, dictated, or a letter of another layout.
   * Keys that follow wait until it has arrived.
   */
  onText: (text: string) => Promise<void> | void
  /** Where text and keys take different ways: how long a key may be under way, so that text does not overtake it. */
  keysTakeMs?: number
  /** Where a key with Alt or Ctrl types nothing: what Option or AltGr make goes as text. */
  layersAsText?: boolean
  /** Whether Ctrl or Super is kept down that is no key of this keyboard. */
  holdsCommand?: () => boolean
  /** The picture lost the keyboard, to this element or to another window. */
  onBlur: (to: EventTarget | null) => void
}

/**
 * A canvas has no input method: dead keys and Asian scripts end in nothing there. So an unseen text field takes the
 * keyboard in its place, passes every plain key on, and hands over what is composed in it as text. It is beside the
 * canvas, and nothing ever stays in it. Returns the field and the way to stop.
 */
export function takeKeyboard({
  canvas,
  onText,
  onBlur,
  keysTakeMs = 0,
  layersAsText = false,
  holdsCommand = () => false,
}: TypingOptions): {
  field: HTMLElement
  stop: () => void
} {
  const field = document.createElement('textarea')
  field.className = styles['typing'] ?? ''
  field.dataset['machineKeys'] = ''
  field.dataset['testid'] = 'live-typing'
  field.setAttribute('aria-label', 'Keys go to the browser of the machine')
  field.autocapitalize = 'off'
  field.autocomplete = 'off'
  field.spellcheck = false
  field.tabIndex = -1
  canvas.after(field)

  const down = new Map<string, KeyboardEvent>()
  const asText = new Set<string>()
  let lastKey = Number.NEGATIVE_INFINITY
  const pass = (event: KeyboardEvent) =>
    inOrder(() => {
      lastKey = performance.now()
      canvas.dispatchEvent(event)
    })
  const waiting: (() => void | Promise<void>)[] = []
  let busy = false
  const inOrder = (task: () => void | Promise<void>) => {
    waiting.push(task)
    if (!busy) void drain()
  }
  const drain = async () => {
    busy = true
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const done = task()
      // Nothing to wait for is not waited for: a key is sent in the turn in which it was pressed.
      if (done !== undefined) await done
    }
    busy = false
  }
  const write = (text: string) =>
    inOrder(async () => {
      const under = lastKey + keysTakeMs - performance.now()
      if (under > 0) await new Promise((resolve) => setTimeout(resolve, under))
      await onText(text)
    })
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    // Also keeps this window's own paste, undo and select out of the field.
    event.preventDefault()
    event.stopPropagation()
    const command = commandKey(event, holdsCommand())
    if (event.type === 'keydown' && command === undefined && (isForeign(event) || (layersAsText && isOfLayer(event)))) {
      asText.add(event.code)
      write(event.key)
      return
    }
    if (event.type === 'keyup' && asText.delete(event.code)) return
    if (event.type === 'keydown') down.set(event.code, event)
    else down.delete(event.code)
    pass(copyOf(event, command))
  }
  const give = () => {
    const text = field.value
    field.value = ''
    if (text !== '') write(text)
  }
  let composing = false
  const stopped = new AbortController()
  const options = { signal: stopped.signal }
  field.addEventListener('keydown', onKey, options)
  field.addEventListener('keyup', onKey, options)
  field.addEventListener('compositionstart', () => (composing = true), options)
  field.addEventListener(
    'compositionend',
    () => {
      composing = false
      // What was composed is in the field only after this event.
      queueMicrotask(give)
    },
    options,
  )
  field.addEventListener('input', () => !composing && give(), options)
  for (const kind of ['paste', 'drop', 'copy', 'cut'] as const)
    field.addEventListener(kind, (event) => event.preventDefault(), options)

  const release = () => {
    for (const event of [...down.values()]) pass(new KeyboardEvent('keyup', { code: event.code, key: event.key }))
    down.clear()
    asText.clear()
  }
  const blurred = (to: EventTarget | null) => {
    field.value = ''
    composing = false
    release()
    onBlur(to)
  }
  // A press on the picture focuses the canvas, which hands the keyboard back at once.
  field.addEventListener('blur', (event) => event.relatedTarget !== canvas && blurred(event.relatedTarget), options)
  window.addEventListener('blur', () => blurred(null), options)
  // Whoever focuses the picture, by a click or by the keyboard, means its keys.
  canvas.addEventListener('focus', () => field.focus({ preventScroll: true }), options)
  return {
    field,
    stop() {
      release()
      stopped.abort()
      field.remove()
    },
  }
}

/** Keys that an input method has taken for itself; what they make arrives as text. */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'key' | 'keyCode'>): boolean {
  return event.isComposing || event.key === 'Process' || event.key === 'Dead' || event.keyCode === 229
}

/** A letter that the layout of a plain display does not have. */
export function isForeign(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey'>): boolean {
  const [letter = '', ...more] = event.key
  return more.length === 0 && (letter.codePointAt(0) ?? 0) > 0x7e && !event.ctrlKey && !event.metaKey
}

/**
 * The letter that a key with Ctrl, Cmd or Super means where it has one of another script: the key of a Cyrillic с copies
 * where a c does. The machine knows no such keys; without this it would get one that it has no name for.
 */
export function commandKey(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'getModifierState'>,
  held = false,
): string | undefined {
  const [letter = '', ...more] = event.key
  if (more.length > 0 || (letter.codePointAt(0) ?? 0) <= 0x7e || event.getModifierState('AltGraph')) return undefined
  if (!event.ctrlKey && !event.metaKey && !held) return undefined
  const [, key, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(event.code) ?? []
  return event.shiftKey ? key : (key?.toLowerCase() ?? digit)
}

/** A character that Option makes on a Mac, or AltGr elsewhere: Windows reports that one as Ctrl and Alt as well. */
export function isOfLayer(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'getModifierState'>,
  mac = isMac,
): boolean {
  if ([...event.key].length !== 1 || event.metaKey || !event.altKey) return false
  return mac ? !event.ctrlKey : event.ctrlKey && event.getModifierState('AltGraph')
}

function copyOf(event: KeyboardEvent, key = event.key): KeyboardEvent {
  const state = (name: string) => event.getModifierState(name)
  const copy = new KeyboardEvent(event.type, {
    key,
    code: event.code,
    location: event.location,
    repeat: event.repeat,
    ctrlKey: event.ctrlKey,
    shiftKey: event.shiftKey,
    altKey: event.altKey,
    metaKey: event.metaKey,
    modifierAltGraph: state('AltGraph'),
    modifierCapsLock: state('CapsLock'),
    modifierNumLock: state('NumLock'),
    keyCode: event.keyCode,
    cancelable: true,
  } as KeyboardEventInit)
  return copy
}
