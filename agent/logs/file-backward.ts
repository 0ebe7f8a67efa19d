import { closeChain, openChain } from './file-chain.ts'
import type { HistoryQuery } from './sources.ts'

const blockBytes = 256 * 1024
/** So much of a log is read at once that the lines asked for, where they are short, are in it. */
const [lineBytes, minBlockBytes, maxBlockBytes] = [128, 64 * 1024, 1024 * 1024]
/** One line may be this long before it is passed on in pieces. */
const maxCarryBytes = 4 * 1024 * 1024

/** How much to read at a time: a search goes through more than it finds. */
export function blockFor({ lines, search }: Pick<HistoryQuery, 'lines' | 'search'>): number {
  if (search !== undefined && search !== '') return blockBytes
  return Math.min(maxBlockBytes, Math.max(minBlockBytes, lines * lineBytes))
}

/** The lines of a file and its older ones, in portions from the end to the beginning; each portion in its order. */
export async function* readBackward(path: string, block: number): AsyncGenerator<string[]> {
  const { files } = await openChain(path)
  try {
    for (const { handle } of files) {
      let end = (await handle.stat()).size
      let carry: Buffer = Buffer.alloc(0)
      while (end > 0) {
        const start = Math.max(0, end - block)
        const buffer = Buffer.allocUnsafe(end - start)
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, start)
        // Emptied under us: what is gone is gone.
        if (bytesRead < buffer.length) break
        end = start
        const bytes = carry.length === 0 ? buffer : Buffer.concat([buffer, carry])
        const cut = start === 0 || bytes.length > maxCarryBytes ? 0 : bytes.indexOf(10) + 1
        if (start > 0 && cut === 0 && bytes.length <= maxCarryBytes) {
          carry = bytes
          continue
        }
        carry = bytes.subarray(0, cut)
        const text = bytes.toString('utf8', cut)
        if (text !== '') yield (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
      }
    }
  } finally {
    await closeChain(files)
  }
}
