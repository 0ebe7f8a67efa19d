import { setImmediate as yieldOnce } from 'node:timers/promises'
import { callInFrame } from './in-frame.ts'
import { readClean } from './in-page-reading.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

/** HTML beyond this is cut: no reader reads on, and converting takes its time. */
const maxHtml = 500_000
/** As much as is converted at once, before everything else that the agent does gets its turn. */
const chunkSize = 8000

type Convert = (html: string) => string
let converter: Promise<Convert> | undefined

/** The page as Markdown: what a reader came for, without what surrounds it on every page of the site. */
export async function markdown(page: Page, operation: Operation): Promise<{ markdown: string; truncated: boolean }> {
  const { main } = page.frames
  if (main === undefined) return { markdown: '', truncated: false }
  const { pieces, truncated } = await callInFrame(main, operation, readClean, maxHtml)
  return { markdown: await toMarkdown(pieces, operation.signal), truncated }
}

/** Converts pieces of HTML that each stand alone. */
export async function toMarkdown(pieces: string[], signal?: AbortSignal): Promise<string> {
  converter ??= load()
  const convert = await converter
  const converted: string[] = []
  let chunk = ''
  for (const [index, piece] of pieces.entries()) {
    chunk += piece
    if (chunk.length < chunkSize && index < pieces.length - 1) continue
    converted.push(convert(chunk))
    chunk = ''
    await yieldOnce()
    signal?.throwIfAborted()
  }
  return converted.filter((text) => text !== '').join('\n\n')
}

/** Loaded when first needed: most agents never convert a page. */
async function load(): Promise<Convert> {
  const [{ default: Turndown }, { default: gfm }] = await Promise.all([
    import('turndown'),
    import('@joplin/turndown-plugin-gfm'),
  ])
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  })
  turndown.use(gfm.gfm)
  return (html) => turndown.turndown(html).trim()
}
