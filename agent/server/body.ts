import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'

export const maxBodyBytes = 1024 * 1024

/** The JSON body of a request, or an empty object where there is none. */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const coding = request.headers['content-encoding'] ?? ''
  if (coding !== '' && coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported-media', 'Send the body as it is, without "Content-Encoding".', {
      acceptEncoding: 'identity',
    })
  const bytes = await readBytes(request, response)
  // Letters that cannot be read must not be replaced by others without a word: they would be written to a file.
  if (!isUtf8(bytes)) throw new Problem('bad-request', 'The body is not UTF-8. Send JSON in UTF-8.')
  const text = bytes.toString('utf8')
  if (text.trim() === '') return {}
  // Who does not say what it is, as Python's `data=` does not, means what all here is.
  const type = request.headers['content-type'] ?? 'application/json'
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new Problem('unsupported-media', 'Send the body as JSON, with "Content-Type: application/json".')
  }
  try {
    const value = parseJson(text)
    // Schemas drop this key without a word, where a person would believe that it was taken.
    if (/__proto__|\\u/.test(text)) JSON.parse(text, refuseProto)
    return value
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('bad-request', `The body is not JSON${whereWrong(error)}. Correct it and try again.`)
  }
}

/** V8 quotes what it could not read, and that may be a secret: only the place is passed on. */
function whereWrong(error: unknown): string {
  const text = error instanceof Error ? error.message : ''
  if (text.startsWith('nested')) return `: ${text}`
  return / (at position \d+)/.exec(text)?.[0] ?? ''
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new Problem('invalid-params', '"__proto__" cannot be a name. Leave it out.')
  return value
}

function readBytes(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  // A request without a body has no stream to read (`optimizeEmptyRequests`).
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0))
  const tooLarge = () => new Problem('body-too-large', `A body may have ${maxBodyBytes} bytes at most.`)
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return Promise.reject(tooLarge())
  // Who asks before sending a body is told to send it only here, where it will be read. HTTP/1.0 has no such asking.
  const mayAsk = request.httpVersion !== '1.0'
  if (mayAsk && request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) {
        request.pause()
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    // Nobody reads the answer; what counts is that it is not taken for a fault of the agent.
    request.on('error', () => reject(new Problem('cancelled', 'The client went away before its body was whole.')))
  })
}
