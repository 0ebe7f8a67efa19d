import { useNow } from './clock.ts'
import { formatAge } from './time.ts'

interface AgeProps {
  /** ISO time; null when there was no such moment. */
  at: string | null
  /** `ago` adds the word; `bare` is the length alone, for columns. */
  form?: 'ago' | 'bare'
}

/** How long ago something was, ticking. */
export function Age({ at, form = 'ago' }: AgeProps) {
  const now = useNow()
  if (at === null) return <>never</>
  const ms = now - Date.parse(at)
  if (Number.isNaN(ms)) return <>–</>
  if (form === 'bare') return <>{ms < 1000 ? 'now' : formatAge(ms)}</>
  return <>{ms < 1000 ? 'just now' : `${formatAge(ms)} ago`}</>
}
