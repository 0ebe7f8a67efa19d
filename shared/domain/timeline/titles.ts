import { redactAddress, redactPageText } from '../redaction.ts'

/** What an entry of a page's error is called; by it the message itself is found again. */
export function pageErrorTitle(text: string): string {
  return redactPageText(text.split('\n', 1)[0] ?? '', 200)
}

/** What an entry of a failed request is called; by it the request itself is found again. */
export function failedRequestTitle(request: {
  method: string
  url: string
  status: number | null
  error: string | null
}): string {
  const said = request.status === null ? (request.error ?? 'failed') : String(request.status)
  return `${request.method} ${said} ${redactAddress(request.url)}`
}
