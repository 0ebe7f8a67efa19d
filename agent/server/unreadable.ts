import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../../shared/errors.ts'
import { nextRequestId } from './context.ts'
import type { ServerParts } from './parts.ts'
import { refuseUpgrade } from './respond.ts'

export const maxHeaderBytes = 16 * 1024

/** The answer that a connection is giving now; Node's own handling of such errors looks at it as well. */
type Answering = Socket & { _httpMessage?: ServerResponse | null }

/** What cannot be parsed has no route: answered here, so that a client sees why. */
export function answerUnreadable(parts: ServerParts, error: NodeJS.ErrnoException, stream: Answering): void {
  if (error.code === 'ECONNRESET' || !stream.writable) {
    stream.destroy()
    return
  }
  const before = stream._httpMessage
  // Another request came before it: its answer must neither be broken into nor be taken for this one.
  if (before?.req.complete) {
    before.once('close', () => setImmediate(answerUnreadable, parts, error, stream))
    return
  }
  // Half of an answer is there: all that can be said is that it ends here.
  if (before?.headersSent === true) {
    stream.destroy()
    return
  }
  parts.counters.requests++
  parts.counters.problems++
  const problem = why(error.code)
  problem.requestId = nextRequestId()
  refuseUpgrade(stream, problem)
}

/** Why a request could not be read. */
function why(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request-timeout', 'The request did not come in time. Send it at once.')
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem('headers-too-large', `Address and headers may have ${maxHeaderBytes} bytes together. Send less.`)
  return new Problem('bad-request', 'That is not an HTTP/1.1 request. Use a client that speaks HTTP/1.1.')
}
