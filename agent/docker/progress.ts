import { z } from 'zod'
import { Problem } from '../../shared/errors.ts'

/** One line of what Docker says while it pulls or builds. */
const lineSchema = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  stream: z.string().optional(),
  error: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).optional(),
})
export type ProgressLine = z.output<typeof lineSchema>

const maxLineChars = 1024 * 1024

/** Reads to the end of what Docker says. An error comes as a line like any other, after a good status. */
export async function followProgress(
  stream: NodeJS.ReadableStream,
  onLine: (line: ProgressLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const stop = () => (stream as NodeJS.ReadableStream & { destroy(): void }).destroy()
  signal.addEventListener('abort', stop)
  let rest = ''
  let failure: string | undefined
  const take = (text: string) => {
    const line = parse(text)
    if (line === undefined) return
    failure ??= line.error
    onLine(line)
  }
  try {
    stream.setEncoding('utf8')
    for await (const chunk of stream) {
      const lines = (rest + String(chunk)).split('\n')
      rest = (lines.pop() ?? '').slice(0, maxLineChars)
      for (const line of lines) take(line)
    }
    take(rest)
  } finally {
    signal.removeEventListener('abort', stop)
  }
  if (failure !== undefined) throw new Problem('docker-refused', `Docker: ${failure}`)
  signal.throwIfAborted()
}

function parse(text: string): ProgressLine | undefined {
  if (text.trim() === '') return undefined
  try {
    return lineSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
