import { z } from 'zod'
import { issueWords } from './issue-words.ts'

/**
 * Every way in which something can fail, on both ends and on every wire.
 * The status is what HTTP says; the title is the same for every occurrence, the detail is not.
 */
export const problemCodes = {
  'bad-request': [400, 'The request is not well formed'],
  'invalid-params': [400, 'A value is missing, unknown or out of range'],
  'invalid-selector': [400, 'That is not a CSS selector'],
  'invalid-url': [400, 'That is not an address a browser can open'],
  'invalid-pattern': [400, 'That pattern cannot be used'],
  'invalid-tag': [400, 'That is not an image tag'],
  'script-error': [400, 'The script threw an error'],
  unauthorized: [401, 'The secret or ticket is missing or wrong'],
  'ticket-spent': [401, 'That ticket was used before, has expired, or is for another path'],
  'browser-refused': [403, 'Web pages may not talk to the agent'],
  'unknown-host': [403, 'That is not a name of this agent'],
  forbidden: [403, 'Not allowed here'],
  'not-found': [404, 'There is no such thing'],
  'unknown-route': [404, 'The agent has no such call'],
  'method-not-allowed': [405, 'That path does not take this method'],
  'not-active': [409, 'The browser is not running'],
  'already-active': [409, 'The browser is running already'],
  'desktop-conflict': [409, 'Desktop mode and browser mode exclude each other'],
  'controller-busy': [409, 'Someone else controls this connection'],
  'lease-held': [409, 'Someone else has control'],
  'lease-gone': [409, 'That lease has ended'],
  'deploy-running': [409, 'Another deploy is running'],
  'browser-died': [409, 'The browser ended meanwhile'],
  conflict: [409, 'That does not fit the present state'],
  'request-timeout': [408, 'The request did not come in time'],
  'body-too-large': [413, 'The body is too large'],
  'unsupported-media': [415, 'The body is not JSON'],
  'held-by-operator': [423, 'A person has control of the browser'],
  'install-required': [424, 'A program this needs is missing, or does not run'],
  'upgrade-required': [426, 'That path takes a WebSocket'],
  'too-many-requests': [429, 'Too many requests'],
  'headers-too-large': [431, 'Address and headers are too large'],
  internal: [500, 'Something in the agent is broken'],
  'deploy-failed': [500, 'The deploy did not succeed'],
  'container-failed': [500, 'The container did not start'],
  'start-failed': [500, 'The browser did not start'],
  'audit-unavailable': [500, 'The audit log cannot be written, so nothing was done'],
  'docker-refused': [502, 'Docker did not do what it was asked'],
  'cdp-error': [502, 'The browser answered with an error'],
  'engine-failed': [502, 'No engine could do it'],
  stopping: [503, 'The agent is stopping'],
  'storage-full': [507, 'The disk is full'],
  timeout: [504, 'It took too long'],
  // The next ones never cross the agent's wire: they are the client's own findings.
  unreachable: [0, 'The machine cannot be reached'],
  'bad-answer': [0, 'The agent gave an answer that is not in the contract'],
  'not-supported': [0, 'The agent is too old for this'],
  cancelled: [0, 'Cancelled'],
  'host-key-changed': [0, 'The machine shows another host key than before'],
  'host-key-unknown': [0, 'The host key of the machine was not accepted'],
  'ssh-auth-failed': [0, 'The machine does not let this user in'],
  'tunnel-setup': [0, 'The way to the machine is not set up'],
  'no-keychain': [0, 'There is no keychain to keep secrets in'],
  'unknown-machine': [0, 'There is no such machine'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ProblemCode = keyof typeof problemCodes

/** RFC 9457 problem details, as sent by the agent and, unchanged, over IPC. */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  requestId: z.string().optional(),
})
export type WireProblem = z.infer<typeof problemSchema>

const typePrefix = 'urn:pilothouse:problem:'

/** An expected failure: it has a code and a sentence that says what to do next. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  /** Members beyond the standard ones, such as the holder of a lease; never a secret. */
  readonly extra: Record<string, unknown>
  requestId: string | undefined

  constructor(code: ProblemCode, detail: string, extra: Record<string, unknown> = {}, options?: { cause?: unknown }) {
    super(detail, options)
    this.name = 'Problem'
    this.code = code
    this.status = problemCodes[code][0]
    this.extra = extra
  }

  toWire(): WireProblem {
    return {
      ...this.extra,
      type: typePrefix + this.code,
      title: problemCodes[this.code][1],
      status: this.status,
      detail: this.message,
      code: this.code,
      ...(this.requestId === undefined ? {} : { requestId: this.requestId }),
    }
  }

  static fromWire(wire: WireProblem): Problem {
    const { type: _type, title: _title, status: _status, detail, code, requestId, ...extra } = wire
    const known = code in problemCodes
    const problem = new Problem(known ? (code as ProblemCode) : 'internal', detail, known ? extra : { ...extra, code })
    problem.requestId = requestId
    return problem
  }

  /** Anything thrown, as a problem. What was not expected becomes `internal` and keeps its cause. */
  static from(error: unknown, fallback: ProblemCode = 'internal'): Problem {
    if (error instanceof Problem) return error
    const message = error instanceof Error ? error.message : String(error)
    return new Problem(fallback, message, {}, { cause: error })
  }
}

/** Turns zod's findings into one sentence: which key, what it takes. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const path = issue.path.map(String).join('.')
      return path === '' ? issueWords(issue) : `${path}: ${issueWords(issue)}`
    })
    .join('; ')
}
