/** An address as a person reads it: a page that is its own address is named, not spelled out. */
export function shownAddress(url: string | null | undefined): string {
  if (url === null || url === undefined || url === '') return '—'
  const data = /^data:([^;,]*)/.exec(url)
  return data === null ? url : `data: ${data[1] || 'text/plain'}, ${size(url.length)}`
}

function size(characters: number): string {
  return characters < 1024 ? `${characters} bytes` : `${Math.round(characters / 1024)} KB`
}
