import type { IncomingMessage } from 'node:http'
import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'

export const maxBodyBytes = 1024 * 1024

/** The JSON body of a request, or an empty object where there is none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const text = (await readBytes(request)).toString('utf8')
  if (text.trim() === '') return {}
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new Problem('unsupported-media', 'Send the body as JSON, with "Content-Type: application/json".')
  }
  try {
    return parseJson(text)
  } catch (error) {
    throw new Problem('bad-request', `The body is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new Problem('body-too-large', `A body may have ${maxBodyBytes} bytes at most.`)
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return Promise.reject(tooLarge())
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
    request.on('error', reject)
  })
}
