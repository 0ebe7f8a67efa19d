/** Who asked for a request: what kind of thing it was, and the calls that led to it. */

import { type Frame, placeText } from '../console/entries.ts'

interface StackTrace {
  callFrames?: Frame[]
  description?: string
  parent?: StackTrace
}

export interface Initiator {
  type?: string
  url?: string
  lineNumber?: number
  stack?: StackTrace
}

/** So many are told of: a stack can go on through one `await` after another. */
const mostCalls = 30

/** The calls, newest first; what was awaited in between is passed over. */
export function callsOf({ stack }: Initiator): Frame[] {
  const calls: Frame[] = []
  for (let part = stack; part !== undefined && calls.length < mostCalls; part = part.parent)
    calls.push(...(part.callFrames ?? []))
  return calls.slice(0, mostCalls)
}

/** In a few words: `script · shop.js:12`. */
export function initiatorText(initiator: Initiator): string {
  const [call] = callsOf(initiator)
  const place =
    call === undefined
      ? placeText(initiator.url ?? '', (initiator.lineNumber ?? -1) + 1)
      : placeText(call.url, call.lineNumber + 1)
  return [initiator.type, place].filter(Boolean).join(' · ')
}
