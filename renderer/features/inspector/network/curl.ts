import type { NetworkRow } from './rows.ts'

/** What stands for credentials; an observer is not shown any, and none leaves by the clipboard. */
const secretHeader = /^(?:(?:set-)?cookie2?|(?:proxy-)?authorization)$/i
/** Set by whoever sends, from everything else. */
const ownHeader = /^(?::|host$|content-length$|connection$)/i

/** The request as a command for a shell, without cookies and other credentials. */
export function curlOf({ url, method, requestHeaders, postData }: NetworkRow): string {
  const headers = Object.entries(requestHeaders).filter(([name]) => !secretHeader.test(name) && !ownHeader.test(name))
  const parts = [
    `curl ${quoted(url)}`,
    ...(method === 'GET' || (method === 'POST' && postData !== null) ? [] : [`-X ${quoted(method)}`]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(postData === null ? [] : [`--data-raw ${quoted(postData)}`]),
    '--compressed',
  ]
  return parts.join(' \\\n  ')
}

/**
 * Text that a shell takes for nothing but itself: in single quotes, where only a single quote means something. Control
 * characters are left out: pasted into a terminal, they would be keys.
 */
function quoted(text: string): string {
  const plain = [...text].filter((char) => char === '\n' || char === '\t' || (char >= ' ' && char !== '\x7f')).join('')
  return `'${plain.replaceAll("'", "'\\''")}'`
}
