import { parseJson } from '../../shared/contract/wire.ts'

/** Events whose whole content is headers as they were sent, cookies among them. */
const headerEvents = new Set([
  'Network.requestWillBeSentExtraInfo',
  'Network.responseReceivedExtraInfo',
  'Network.responseReceivedEarlyHints',
])
const credential = /^(?:(?:set-)?cookie2?|(?:proxy-)?authorization)$/i
/** A name and password, as they stand in an address. */
const inAddress = /^([a-z]+:\/\/)[^/?#\s]*@/i
/** Chromium writes the method first; nothing else can stand this early. */
const lookBytes = 24
const letterI = 0x69
const marks = ['"Network.', '"Fetch.', '"Audits.'].map((text) => Buffer.from(text))

/** Whether a message may hold cookies, told from its first bytes. */
export function mayHoldCookies(payload: Buffer): boolean {
  // An answer, not an event: it starts with {"id".
  if (payload[2] === letterI) return false
  const start = payload.subarray(0, lookBytes)
  return marks.some((mark) => start.includes(mark))
}

/** A network event as an observer may see it: without credentials; null when nothing would be left of it. */
export function withoutCookies(text: string): string | null {
  let event: { method?: unknown }
  try {
    event = parseJson(text, 256) as typeof event
  } catch {
    return null
  }
  const method = String(event.method)
  if (headerEvents.has(method) || !method.startsWith('Network.')) return null
  return JSON.stringify(event, (key, value: unknown) => {
    if (credential.test(key) || key === 'headersText' || key === 'requestHeadersText') return undefined
    return typeof value === 'string' ? value.replace(inAddress, '$1') : value
  })
}
