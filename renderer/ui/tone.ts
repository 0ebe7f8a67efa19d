/** Colour says who is in control or that something is wrong; shape says it again. */
export type Tone = 'engine' | 'person' | 'up' | 'unknown' | 'broken' | 'expired' | 'off'
/** Round is running, diamond wants attention, square is off or gone. */
export type Shape = 'round' | 'diamond' | 'square'
