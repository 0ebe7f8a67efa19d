/**
 * The moment a person means: `14:03`, `14:03:20.5`, a date with a time, or `10 min ago`. A time of day is the last one
 * before `last`, because a log lies in the past.
 */
export function parseMoment(typed: string, last: number): number | undefined {
  const text = typed.trim()
  const ago = /^(\d{1,5})\s*(s|min|m|h|d)(?:\s+ago)?$/i.exec(text)
  if (ago !== null) {
    const units: Record<string, number> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 }
    return last - Number(ago[1]) * (units[(ago[2] ?? '').toLowerCase()] ?? 0)
  }
  const clock = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?$/.exec(text)
  if (clock !== null) {
    const [, hour, minute, second = '0', fraction = '0'] = clock
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
    const day = new Date(last)
    day.setHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0')))
    if (day.getTime() > last) day.setDate(day.getDate() - 1)
    return day.getTime()
  }
  const date = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  return Number.isNaN(date) ? undefined : date
}
