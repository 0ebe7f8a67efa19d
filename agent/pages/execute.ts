import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'
import type { CdpParams } from '../browser/cdp.ts'
import { type DeepValue, plainDeep } from './deep-value.ts'
import { isMovingOn } from './moving-on.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

interface RemoteObject {
  type: string
  subtype?: string
  value?: unknown
  unserializableValue?: string
  objectId?: string
  description?: string
  deepSerializedValue?: DeepValue
}
/** What JSON would show as an empty object says more in words. */
const inWords = ['node', 'error', 'regexp', 'map', 'set', 'weakmap', 'weakset', 'promise', 'generator']
/** Deeper than this no client of ours reads an answer. */
const maxDepth = 60

/** How V8 says that it ended an evaluation. */
const terminated = /Runtime\.evaluate: (Internal error|Execution was terminated)/

/** What a page makes of JSON is its own affair: false where it is not what it is everywhere else. */
const asJson = `function () {
  let usual = false
  try { usual = JSON.stringify([0, { a: 's' }, true]) === '[0,{"a":"s"},true]' } catch {}
  return usual ? JSON.stringify(this) : false
}`

/** Evaluates an expression in the page's own world; what it gives must be something that JSON can carry. */
export async function execute(
  page: Page,
  operation: Operation,
  params: { expression: string; awaitPromise: boolean },
): Promise<{ result: unknown; type: string }> {
  const { expression, awaitPromise } = params
  const late = () => new Problem('timeout', 'The expression did not finish in time. Give it more, or less to do.')
  operation.waitingFor(late)
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
  } catch (error) {
    // Its own time limit may be up a moment before the call's.
    if (error instanceof Problem && terminated.test(error.message)) throw late()
    if (!isMovingOn(error)) throw error
    throw new Problem(
      'cdp-error',
      'The page went elsewhere before the expression was done. Wait for it, and try again.',
    )
  } finally {
    operation.signal.removeEventListener('abort', terminate)
  }
}

async function plainValue(page: Page, operation: Operation, object: RemoteObject): Promise<unknown> {
  if (object.unserializableValue !== undefined) return object.unserializableValue
  if (object.objectId === undefined) return object.value ?? null
  if (object.type !== 'object' || inWords.includes(object.subtype ?? '')) return object.description ?? null
  const call = (functionDeclaration: string, how: CdpParams) =>
    page.cdp.send(
      'Runtime.callFunctionOn',
      { objectId: object.objectId, functionDeclaration, ...how },
      operation.leftMs(),
    )
  const answer = resultOf(await call(asJson, { returnByValue: true }))
  if (answer.type === 'boolean') {
    const serializationOptions = { serialization: 'deep', maxDepth }
    return plainDeep(resultOf(await call('function () { return this }', { serializationOptions })).deepSerializedValue)
  }
  const text = answer.value
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
