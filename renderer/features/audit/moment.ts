import { formatTime } from '../../ui/time.ts'

/** Date and time as this computer's clock has them. */
export function momentOf(iso: string | undefined): string {
  const date = new Date(iso ?? '')
  if (iso === undefined || Number.isNaN(date.getTime())) return '–'
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${day.join('-')} ${formatTime(iso)}`
}
