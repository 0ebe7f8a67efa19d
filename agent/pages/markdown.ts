import { Worker } from 'node:worker_threads'
import { Problem } from '../../shared/errors.ts'
import { callInFrame } from './in-frame.ts'
import { readClean } from './in-page-reading.ts'
import { markdownCode } from './markdown-code.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

/** HTML beyond this is cut: no reader reads on, and converting takes its time. */
const maxHtml = 500_000
/** A document that is read rather than made by a script is never deeper; beyond it only the text counts. */
const maxDepth = 512
/** What a thread may fill before it is ended: a page must not be able to fill the agent's memory. */
const maxMegabytes = 512
/** More at once would only take the processor from the agent itself. */
const maxThreads = 2

const waiting: (() => void)[] = []
let running = 0

/** The page as Markdown: what a reader came for, without what surrounds it on every page of the site. */
export async function markdown(page: Page, operation: Operation): Promise<{ markdown: string; truncated: boolean }> {
  const { main } = page.frames
  if (main === undefined) return { markdown: '', truncated: false }
  const { pieces, truncated } = await callInFrame(main, operation, readClean, maxHtml, maxDepth)
  operation.waitingFor(
    () => new Problem('timeout', 'The page could not be made into Markdown in time. Read it with content or scrape.'),
  )
  return { markdown: await toMarkdown(pieces, operation.signal), truncated }
}

/**
 * Converts pieces of HTML that each stand alone, beside the agent's own thread: there are pages that take minutes. It
 * ends with the signal.
 */
export async function toMarkdown(pieces: string[], signal: AbortSignal): Promise<string> {
  if (running >= maxThreads) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    signal.throwIfAborted()
    return await convertBeside(pieces, signal)
  } finally {
    // Whoever waits takes the place over.
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

async function convertBeside(pieces: string[], signal: AbortSignal): Promise<string> {
  const worker = new Worker(markdownCode, {
    workerData: pieces,
    eval: typeof markdownCode === 'string',
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', (cause) => reject(tooMuch(cause)))
      worker.once('exit', (code) => reject(signal.aborted ? signal.reason : tooMuch(`ended with ${code}`)))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function tooMuch(cause: unknown): Problem {
  const detail = 'The page is too much to be made into Markdown. Read it with content or scrape.'
  return new Problem('conflict', detail, {}, { cause })
}
