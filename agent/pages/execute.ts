import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'
import type { CdpParams } from '../browser/cdp.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

interface RemoteObject {
  type: string
  subtype?: string
  value?: unknown
  unserializableValue?: string
  objectId?: string
  description?: string
}
/** What JSON would show as an empty object says more in words. */
const inWords = ['node', 'error', 'regexp', 'map', 'set', 'weakmap', 'weakset', 'promise', 'generator', 'proxy']
/** Deeper than this no client of ours reads an answer. */
const maxDepth = 60

/** Evaluates an expression in the page's own world; what it gives must be something that JSON can carry. */
export async function execute(
  page: Page,
  operation: Operation,
  params: { expression: string; awaitPromise: boolean },
): Promise<{ result: unknown; type: string }> {
  const { expression, awaitPromise } = params
  operation.waitingFor(
    () => new Problem('timeout', 'The expression did not finish in time. Give it more, or less to do.'),
  )
  const timeout = operation.leftMs()
  // A loop that began after an await is not covered by the time limit of the evaluation.
  const terminate = () => void page.cdp.send('Runtime.terminateExecution').catch(() => {})
  operation.signal.addEventListener('abort', terminate)
  try {
    const answer = await page.cdp.send(
      'Runtime.evaluate',
      {
        expression,
        awaitPromise,
        timeout,
        userGesture: true,
        allowUnsafeEvalBlockedByCSP: true,
        objectGroup: 'pilothouse',
      },
      timeout,
    )
    const object = resultOf(answer)
    return { result: await plainValue(page, operation, object), type: object.type }
  } finally {
    operation.signal.removeEventListener('abort', terminate)
  }
}

async function plainValue(page: Page, operation: Operation, object: RemoteObject): Promise<unknown> {
  if (object.unserializableValue !== undefined) return object.unserializableValue
  if (object.objectId === undefined) return object.value ?? null
  if (object.type !== 'object' || inWords.includes(object.subtype ?? '')) return object.description ?? null
  const answer = await page.cdp.send(
    'Runtime.callFunctionOn',
    {
      objectId: object.objectId,
      functionDeclaration: 'function () { return JSON.stringify(this) }',
      returnByValue: true,
    },
    operation.leftMs(),
  )
  const text = resultOf(answer).value
  try {
    return typeof text === 'string' ? parseJson(text, maxDepth) : null
  } catch {
    throw new Problem('script-error', `The result is nested more than ${maxDepth} deep. Return less of it.`)
  }
}

function resultOf(answer: CdpParams): RemoteObject {
  const details = answer['exceptionDetails'] as { text: string; exception?: RemoteObject } | undefined
  if (details === undefined) return answer['result'] as RemoteObject
  const thrown = details.exception
  const text = thrown?.description ?? (thrown?.value === undefined ? details.text : `Thrown: ${String(thrown.value)}`)
  throw new Problem('script-error', text.slice(0, 2000))
}
