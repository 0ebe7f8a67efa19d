import { Problem } from '../../shared/errors.ts'
import { noDockerProblem } from './no-docker.ts'

const goneCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EACCES', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  return typeof status === 'number' ? status : undefined
}

/** What Docker refused, as a problem with Docker's own words; an engine that went away is one that is not there. */
export function asDockerProblem(error: unknown, env: NodeJS.ProcessEnv): Problem {
  const status = statusOf(error)
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (status === undefined && name === 'AbortError') return new Problem('conflict', 'It was cancelled.')
  if (status === undefined && typeof code === 'string' && goneCodes.has(code)) return noDockerProblem(env, error)
  const said = dockerMessage(error)
  if (status === 404) return new Problem('not-found', `Docker: ${said}`, {}, { cause: error })
  if (status === 409) return new Problem('conflict', `Docker: ${said}`, {}, { cause: error })
  return new Problem('docker-refused', `Docker: ${said}`, {}, { cause: error })
}

function dockerMessage(error: unknown): string {
  const json = (error as { json?: { message?: unknown } } | null)?.json
  if (typeof json?.message === 'string') return json.message
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/^\(HTTP code \d+\) [^-]*- /, '').trim()
}
