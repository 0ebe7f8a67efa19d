import type { WireProblem } from '../../../shared/errors.ts'
import type { QualityName } from './quality.ts'
import type { ShownChooser, ShownDialog, StickyKey } from './screen.ts'

export interface LiveWish {
  view: 'vnc' | 'screencast'
  mode: 'view' | 'control'
}

export interface LiveSnapshot {
  /** `idle` wants no picture; `reconnecting` had one and is on its way to the next. */
  phase: 'idle' | 'connecting' | 'live' | 'reconnecting'
  /** What the picture is shown for: it may lag behind the wish while a connection is made. */
  mode: LiveWish['mode']
  framesPerSecond: number
  bytesPerSecond: number
  /** What the connection carries, as far as it could be seen; null while too little came. */
  bitsPerSecond: number | null
  /** From the last press of a key or button to the next change of the picture. */
  pressToPictureMs: number | null
  quality: QualityName
  /** Modifiers that are kept down. */
  held: readonly StickyKey[]
  /** Of the page, where its picture does not show it. */
  dialog: ShownDialog | null
  /** Of the page, where its picture does not show it. */
  chooser: ShownChooser | null
  /** The page, whose last picture does not show it. */
  crashed: boolean
  /** Why the last attempt failed. */
  problem: WireProblem | null
  /** When the still picture was live, in ms; null without one. */
  pictureAt: number | null
  /** It was kept by an earlier window, and says nothing of what this one is about to show. */
  recalled: boolean
}

export const nothingShown: LiveSnapshot = {
  phase: 'idle',
  mode: 'view',
  framesPerSecond: 0,
  bytesPerSecond: 0,
  bitsPerSecond: null,
  pressToPictureMs: null,
  quality: 'best',
  held: [],
  dialog: null,
  chooser: null,
  crashed: false,
  problem: null,
  pictureAt: null,
  recalled: false,
}
