const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** A length of time in its largest sensible unit: `4 s`, `12 min`, `3 h`, `5 d`. */
export function formatAge(ms: number): string {
  const age = Math.max(0, ms)
  if (age < minute) return `${Math.floor(age / second)} s`
  if (age < hour) return `${Math.floor(age / minute)} min`
  if (age < 2 * day) return `${Math.floor(age / hour)} h`
  return `${Math.floor(age / day)} d`
}

/** What is left, as a clock: `4:32`, `12:00`. */
export function formatLeft(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / second))
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
}

/** How long something has taken so far: `8 s`, `1 min 4 s`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / second))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** The time of day of an instant, in this computer's zone: `14:02:11`. */
export function formatTime(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return '–'
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** The time of day of an instant, with its day where that is not today: `14:02:11`, `17.11. 23:59:58`. */
export function formatWhen(iso: string, now = new Date()): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime()) || time.toDateString() === now.toDateString()) return formatTime(iso)
  return `${time.getDate()}.${time.getMonth() + 1}. ${formatTime(iso)}`
}

/** How long something took: `12 ms`, `0.41 s`, `4.2 s`, `1 min 4 s`. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`
  if (ms < minute) return `${(ms / second).toFixed(ms < 10 * second ? 2 : 1)} s`
  return formatElapsed(ms)
}

/** A length of time that was set: `15 s`, `2 min`, `1 min 30 s`. */
export function formatSpan(ms: number): string {
  return ms >= minute && ms % minute === 0 ? `${ms / minute} min` : formatElapsed(ms)
}
