import { parentPort, workerData } from 'node:worker_threads'
import gfm from '@joplin/turndown-plugin-gfm'
import Turndown from 'turndown'

/** As much as is converted at once: what it takes grows faster than the text. */
const chunkSize = 8000

/** Converts pieces of HTML that each stand alone. */
function convert(pieces: string[]): string {
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  })
  turndown.use(gfm.gfm)
  const converted: string[] = []
  let chunk = ''
  for (const [index, piece] of pieces.entries()) {
    chunk += piece
    if (chunk.length < chunkSize && index < pieces.length - 1) continue
    converted.push(turndown.turndown(chunk).trim())
    chunk = ''
  }
  return converted.filter((text) => text !== '').join('\n\n')
}

parentPort?.postMessage(convert(workerData as string[]))
