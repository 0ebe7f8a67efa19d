/** What of a file a client wants (RFC 9110, one range at a time). */
export type Wanted = { kind: 'whole' } | { kind: 'part'; start: number; end: number } | { kind: 'outside' }

/** Reads a `Range` header; `ifRange` is the entity tag that it is meant for, if the client named one. */
export function wantedRange(
  header: string | undefined,
  size: number,
  tags: { etag: string; ifRange: string | undefined },
): Wanted {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (match === null || (tags.ifRange !== undefined && tags.ifRange !== tags.etag)) return { kind: 'whole' }
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return { kind: 'whole' }
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? { kind: 'outside' } : { kind: 'part', start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return { kind: 'whole' }
  return start >= size ? { kind: 'outside' } : { kind: 'part', start, end }
}

/** Whether an `If-None-Match` header names this version of the file, among others or as a weak tag. */
export function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
