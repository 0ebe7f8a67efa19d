/** A time so much later, or earlier; a text that is no time stays as it is, since a machine may say anything. */
export function shifted(iso: string, ms: number): string {
  const date = new Date(Date.parse(iso) + ms)
  return Number.isNaN(date.getTime()) ? iso : date.toISOString()
}
