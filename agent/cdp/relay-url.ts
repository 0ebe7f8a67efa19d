import type { CallContext } from '../server/handlers.ts'

/** The relay's address as this client reaches it. `Host` has been checked before anything else. */
export function relayUrl(context: CallContext): string {
  return `ws://${context.headers['host'] ?? 'localhost'}/v1/browser/cdp`
}
