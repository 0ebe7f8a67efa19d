import type { IncomingMessage } from 'node:http'
import { Problem } from '../../shared/errors.ts'

/** RFC 6455: sixteen bytes in base64, and names as HTTP has them. */
const key = /^[+/0-9A-Za-z]{22}==$/
const protocols = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*,[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/

/** Refuses, as a problem, what the WebSocket library would refuse with a page for people. */
export function checkHandshake({
  method,
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'method' | 'headers' | 'httpVersion'>): void {
  if (method !== 'GET') throw new Problem('method-not-allowed', 'A WebSocket is opened with GET.', { allow: 'GET' })
  const wrong =
    headers.upgrade?.toLowerCase() !== 'websocket'
      ? 'Upgrade must be "websocket"'
      : httpVersion === '1.0'
        ? 'HTTP must be 1.1'
        : !key.test(headers['sec-websocket-key'] ?? '')
          ? 'Sec-WebSocket-Key must be 16 bytes in base64'
          : !protocols.test(headers['sec-websocket-protocol'] ?? 'none')
            ? 'Sec-WebSocket-Protocol must be a list of names'
            : undefined
  if (wrong !== undefined)
    throw new Problem('bad-request', `That is not the opening of a WebSocket: ${wrong}. Use a WebSocket client.`, {
      webSocketVersion: '13',
    })
  if (headers['sec-websocket-version'] !== '13')
    throw new Problem('upgrade-required', 'Sec-WebSocket-Version must be 13. Use a WebSocket client of today.', {
      webSocketVersion: '13',
    })
}
