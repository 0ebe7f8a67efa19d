/** `npm run soak` sets it: every count in full, every limit as on a real machine. */
export const soaking = process.env['PILOTHOUSE_SOAK'] === '1'

/** How often something is repeated: a few times in `npm test`, in full in a soak. The cases are the same. */
export function times(quick: number, full: number): number {
  return soaking ? full : quick
}
