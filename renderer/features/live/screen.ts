/** A picture of a browser on a canvas, whatever brings it: RFB or the screencast. */
export interface Screen {
  readonly canvas: HTMLCanvasElement
  focus(): void
  /** Presses keys together, such as Ctrl Alt Del, and lets them go in reverse. */
  press(keys: readonly ScreenKey[]): void
  close(): void
}

export interface ScreenKey {
  /** X11's number for it, which RFB sends. */
  keysym: number
  /** As in a DOM KeyboardEvent, which the screencast sends. */
  code: string
  key: string
  keyCode: number
}

export interface ScreenEvents {
  /** The whole picture has been drawn once. */
  onComplete(): void
  /** Something of it was drawn. */
  onFrame(): void
  onClose(reason: string): void
}

const key = (keysym: number, keyCode: number, code: string, name = code): ScreenKey => ({
  keysym,
  keyCode,
  code,
  key: name,
})
const control = key(0xffe3, 17, 'ControlLeft', 'Control')
const alt = key(0xffe9, 18, 'AltLeft', 'Alt')
const tab = key(0xff09, 9, 'Tab')

/** Keys that this computer would keep for itself. */
export const specialKeys: readonly { id: string; title: string; keys: readonly ScreenKey[] }[] = [
  { id: 'escape', title: 'Esc', keys: [key(0xff1b, 27, 'Escape')] },
  { id: 'tab', title: 'Tab', keys: [tab] },
  { id: 'alt-tab', title: 'Alt Tab', keys: [alt, tab] },
  { id: 'super', title: 'Super', keys: [key(0xffeb, 91, 'MetaLeft', 'Meta')] },
  { id: 'f11', title: 'F11', keys: [key(0xffc8, 122, 'F11')] },
  { id: 'ctrl-t', title: 'Ctrl T', keys: [control, key(0x74, 84, 'KeyT', 't')] },
  { id: 'ctrl-w', title: 'Ctrl W', keys: [control, key(0x77, 87, 'KeyW', 'w')] },
  { id: 'ctrl-l', title: 'Ctrl L', keys: [control, key(0x6c, 76, 'KeyL', 'l')] },
  { id: 'ctrl-alt-del', title: 'Ctrl Alt Del', keys: [control, alt, key(0xffff, 46, 'Delete')] },
]
