import { Problem } from '../../shared/errors.ts'

/** What the browser may be sent to. Not file: and not javascript:, which reach beyond a page. */
const allowed = ['http:', 'https:', 'about:', 'data:']

/** An address as a page itself says it: without the name and password that it was opened with. */
export function withoutLogin(address: string): string {
  if (!/^https?:\/\/[^/?#]*@/.test(address) || !URL.canParse(address)) return address
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}

/** Checks an address that a client gave; returns it as the browser will spell it. */
export function checkAddress(text: string): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new Problem('invalid-url', 'That is not a full address. Give one that starts with https:// or http://.')
  }
  if (!allowed.includes(url.protocol)) {
    throw new Problem(
      'invalid-url',
      `The browser does not open ${url.protocol} addresses. Use http, https, about or data.`,
    )
  }
  return url.href
}
