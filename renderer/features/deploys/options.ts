/** Choices that a deploy by hand and one by itself have in common. */
export const failureChoices = {
  stop: 'Stop: begin no further machine',
  continue: 'Go on with the others',
} as const

/** A whole number from 1 to `max`, as it was typed; undefined when it is none. */
export function readCount(typed: string, max: number): number | undefined {
  const value = Number(typed)
  return /^\d{1,6}$/.test(typed.trim()) && value >= 1 && value <= max ? value : undefined
}
