import { Problem } from '../../shared/errors.ts'
import type { CdpParams } from '../browser/cdp.ts'
import type { Frame } from './frames.ts'
import { pageLibrary } from './in-page.ts'
import { ownLibrary } from './in-page-own.ts'
import { readingLibrary } from './in-page-reading.ts'
import type { Operation } from './operation.ts'

/** The name of the JavaScript world that the agent has in each frame: the page cannot see or change what is there. */
export const isolatedWorld = 'pilothouse'
const objectGroup = 'pilothouse'
/** A frame within a page that has not answered by now is in an endless loop, or as good as. */
const frameMs = 2000

/** Something of the page, held from here: an element. */
export interface Handle {
  readonly frame: Frame
  readonly contextId: number
  readonly objectId: string
}

type PageFunction<Args extends unknown[], Result> = (...args: Args) => Result
/** An element of the page stands for itself in the function's parameters. */
type Given<Args extends unknown[]> = { [I in keyof Args]: Args[I] extends Element | null ? Handle | null : Args[I] }

/** The agent's own world in that frame. */
export async function enterFrame(frame: Frame, operation: Operation): Promise<number> {
  const params = { frameId: frame.id, worldName: isolatedWorld }
  const { executionContextId } = await frame.cdp.send('Page.createIsolatedWorld', params, operation.leftMs())
  return Number(executionContextId)
}

/** Runs one of the functions of in-page.ts in a frame; its result is what JSON can carry. */
export async function callInFrame<Args extends unknown[], Result>(
  frame: Frame,
  operation: Operation,
  run: PageFunction<Args, Result>,
  ...args: Given<Args>
): Promise<Awaited<Result>> {
  const contextId = args.find(isHandle)?.contextId ?? (await enterFrame(frame, operation))
  const { value } = await call(frame, operation, contextId, run, args, true)
  return value as Awaited<Result>
}

/** Runs a function that finds an element; null when there is none. */
export async function findInFrame<Args extends unknown[]>(
  frame: Frame,
  operation: Operation,
  run: PageFunction<Args, Element | null>,
  ...args: Given<Args>
): Promise<Handle | null> {
  const contextId = await enterFrame(frame, operation)
  const { objectId } = await call(frame, operation, contextId, run, args, false)
  return typeof objectId === 'string' ? { frame, contextId, objectId } : null
}

/**
 * What a frame answers; undefined for one within the page that does not answer soon, or has not yet answered what it was
 * asked before. The page itself must answer.
 */
export async function askFrame<Result>(
  frame: Frame,
  operation: Operation,
  ask: (frame: Frame) => Promise<Result>,
  limitMs = frameMs,
): Promise<{ value: Result } | undefined> {
  if (frame.parentId === null) return { value: await ask(frame) }
  const { silent } = operation
  if (silent.has(frame.cdp)) return undefined
  const asked = ask(frame).then((value) => ({ value }))
  const answer = await Promise.race([asked, operation.pause(limitMs).then(() => undefined)])
  if (answer === undefined) {
    silent.add(frame.cdp)
    void asked.catch(() => {}).finally(() => silent.delete(frame.cdp))
  }
  return answer
}

/**
 * Reads frame after frame. One within the page that went away, or hangs, is left out; the page itself must answer.
 */
export async function eachFrame<Result>(
  frames: readonly Frame[],
  operation: Operation,
  read: (frame: Frame) => Promise<Result>,
): Promise<{ frame: Frame; result: Result }[]> {
  const found: { frame: Frame; result: Result }[] = []
  for (const frame of frames) {
    try {
      const answer = await askFrame(frame, operation, read)
      if (answer !== undefined) found.push({ frame, result: answer.value })
    } catch (error) {
      const selectorIsWrong = error instanceof Problem && error.code === 'invalid-selector'
      if (selectorIsWrong || operation.signal.aborted || frame.parentId === null) throw error
    }
  }
  return found
}

/** Lets go of the elements that were held in that frame. */
export function releaseFrame(frame: Frame): void {
  void frame.cdp.send('Runtime.releaseObjectGroup', { objectGroup }).catch(() => {})
}

async function call<Args extends unknown[]>(
  frame: Frame,
  operation: Operation,
  executionContextId: number,
  run: PageFunction<Args, unknown>,
  args: readonly unknown[],
  returnByValue: boolean,
): Promise<{ value?: unknown; objectId?: unknown }> {
  const answer = await frame.cdp.send(
    'Runtime.callFunctionOn',
    {
      functionDeclaration: `function (...args) { ${ownLibrary};\n${pageLibrary};\n${readingLibrary}; return ${nameOf(run)}(...args) }`,
      executionContextId,
      arguments: args.map((arg) => (isHandle(arg) ? { objectId: arg.objectId } : { value: arg })),
      awaitPromise: true,
      returnByValue,
      objectGroup,
    },
    operation.leftMs(),
  )
  const exception = answer['exceptionDetails'] as CdpParams | undefined
  if (exception !== undefined) throw explain(exception)
  return (answer['result'] ?? {}) as { value?: unknown; objectId?: unknown }
}

/** A bundler may have given the function another name than the one in the source. */
function nameOf(run: PageFunction<never[], unknown> | ((...args: never[]) => unknown)): string {
  return /^(?:async )?function\s+([\w$]+)/.exec(String(run))?.[1] ?? run.name
}

function explain(exception: CdpParams): Problem {
  const thrown = exception['exception'] as { description?: string } | undefined
  const text = (thrown?.description ?? String(exception['text'])).split('\n')[0] ?? ''
  if (text.includes('is not a valid selector')) {
    return new Problem(
      'invalid-selector',
      `${text.replace(/^.*?: Failed to execute '\w+' on '\w+': /, '')} Correct it.`,
    )
  }
  return new Problem('cdp-error', `The page could not be read: ${text}. Reload it, and try again.`)
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'objectId' in value && 'contextId' in value
}
