import type { SocketReceive } from '../../../shared/contract/index.ts'
import type { Quality } from './quality.ts'
import type { Scaling } from './viewChoices.ts'

/** How a picture is shown, and what it may cost. */
export interface ScreenLook {
  scaling: Scaling
  quality: Quality
}

/** A picture of a browser on a canvas, whatever brings it: RFB or the screencast. */
export interface Screen {
  readonly canvas: HTMLCanvasElement
  focus(): void
  /** Presses keys together, such as Ctrl Alt Del, and lets them go in reverse. */
  press(keys: readonly ScreenKey[]): void
  /** Holds a key down, or lets it go. */
  hold(key: ScreenKey, down: boolean): void
  /** Changes how it is shown; what needs a new connection is left as it is. */
  adjust(look: ScreenLook): void
  /** Changes between watching and control on the same connection; false where the machine does not agree. */
  become?(mode: 'view' | 'control'): Promise<boolean>
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

/** What a page asks or tells, and waits for the answer to. */
export interface ShownDialog {
  type: string
  message: string
  defaultPrompt: string
  url: string
}

/** A file field of the page that waits for a file. */
export interface ShownChooser {
  multiple: boolean
}

/** What the page downloads, as far as it is. */
export type Download = Extract<SocketReceive<'watch'>, { type: 'download' }>

export interface ScreenEvents {
  /** The whole picture has been drawn once. */
  onComplete(): void
  /** Something of it was drawn. */
  onFrame(): void
  /** So much of it has arrived. */
  onBytes(bytes: number): void
  /** The keyboard went elsewhere, to this element or to another window. */
  onBlur(to: EventTarget | null): void
  /** The page shows a dialog that is not in the picture, or none any more. */
  onDialog(dialog: ShownDialog | null): void
  /** The page asks for a file, which is not in the picture, or no longer does. */
  onChooser(chooser: ShownChooser | null): void
  /** The page downloads something, which is not in the picture. */
  onDownload(download: Download): void
  /** The page crashed, which its last picture does not show; or there is one again. */
  onCrashed(crashed: boolean): void
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
const shift = key(0xffe1, 16, 'ShiftLeft', 'Shift')
const meta = key(0xffeb, 91, 'MetaLeft', 'Meta')
const tab = key(0xff09, 9, 'Tab')
const letter = (name: string) =>
  key(name.charCodeAt(0), name.toUpperCase().charCodeAt(0), `Key${name.toUpperCase()}`, name)

export interface SpecialKey {
  id: string
  title: string
  keys: readonly ScreenKey[]
}

/** Keys that can be kept down, one or several, while others are typed. */
export const stickyKeys = [
  { id: 'ctrl', title: 'Ctrl', key: control },
  { id: 'alt', title: 'Alt', key: alt },
  { id: 'shift', title: 'Shift', key: shift },
  { id: 'super', title: 'Super', key: meta },
] as const
export type StickyKey = (typeof stickyKeys)[number]['id']

/** Keys that this computer would keep for itself. */
export const specialKeys: readonly SpecialKey[] = [
  { id: 'ctrl-alt-del', title: 'Ctrl Alt Del', keys: [control, alt, key(0xffff, 46, 'Delete')] },
  { id: 'escape', title: 'Esc', keys: [key(0xff1b, 27, 'Escape')] },
  { id: 'tab', title: 'Tab', keys: [tab] },
  { id: 'alt-tab', title: 'Alt Tab', keys: [alt, tab] },
  { id: 'super', title: 'Super', keys: [meta] },
  { id: 'print', title: 'Print', keys: [key(0xff61, 44, 'PrintScreen')] },
  { id: 'ctrl-t', title: 'Ctrl T', keys: [control, letter('t')] },
  { id: 'ctrl-w', title: 'Ctrl W', keys: [control, letter('w')] },
  { id: 'ctrl-l', title: 'Ctrl L', keys: [control, letter('l')] },
]

export const functionKeys: readonly SpecialKey[] = Array.from({ length: 12 }, (_, place) => ({
  id: `f${place + 1}`,
  title: `F${place + 1}`,
  keys: [key(0xffbe + place, 112 + place, `F${place + 1}`)],
}))

/** What pastes on the machine. */
export const pasteKeys: readonly ScreenKey[] = [control, letter('v')]
/** What copies on the machine. */
export const copyKeys: readonly ScreenKey[] = [control, letter('c')]
