/** -1, 0 or 1, for versions such as 0.2.0; anything after a dash is ignored. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string) =>
    (version.split('-')[0] ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0)
  const [left, right] = [numbers(a), numbers(b)]
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}
