import { AsyncLocalStorage } from 'node:async_hooks'

/** No model says so much at once; a server that never ends would fill the agent's memory. */
const maxAnswerBytes = 16 * 1024 * 1024

/** The signal of the operation that a call to the model is made for. */
const operation = new AsyncLocalStorage<AbortSignal>()

/** What is asked of the model within `work` ends with the signal, whether the library takes one or not. */
export function endingWith<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return operation.run(signal, work)
}

/** As `fetch`, for a library's calls to its model: none of them outlives its operation, or brings more than is sane. */
export async function modelFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const signals = [init.signal, operation.getStore()].filter((signal) => signal instanceof AbortSignal)
  const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) })
  if (response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(upTo(maxAnswerBytes)), { status, statusText, headers })
}

function upTo(most: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let seen = 0
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.length
      if (seen > most) controller.error(new Error(`The model's answer is longer than ${most / 1024 / 1024} MB.`))
      else controller.enqueue(chunk)
    },
  })
}
