import { closeSync, createReadStream } from 'node:fs'
import { Problem } from '../../shared/errors.ts'
import { type CallContext, type Handlers, Reply } from '../server/handlers.ts'
import { isKnown, wantedRange } from './range.ts'
import type { RecordingsService } from './recordings.service.ts'

type RecordingCall =
  | 'desktop.startRecording'
  | 'desktop.stopRecording'
  | 'desktop.listRecordings'
  | 'desktop.getRecording'
  | 'desktop.deleteRecording'

export function recordingRoutes(
  recordings: RecordingsService,
  defaultFps: () => number,
): Pick<Handlers, RecordingCall> {
  return {
    'desktop.startRecording': async ({ fps }, context) => {
      const started = await recordings.start(fps ?? defaultFps())
      context.note({ id: started.id, fps: started.fps })
      return started
    },
    'desktop.stopRecording': async (_params, context) => {
      const stopped = await recordings.stop()
      context.note({ id: stopped.id, durationMs: stopped.durationMs, sizeBytes: stopped.sizeBytes })
      return stopped
    },
    'desktop.listRecordings': () => ({ recordings: recordings.list() }),
    'desktop.getRecording': ({ id }, context) => film(recordings, id, context),
    'desktop.deleteRecording': ({ id }, context) => {
      context.note({ deleted: id })
      recordings.delete(id)
      return { ok: true }
    },
  }
}

function film(recordings: RecordingsService, id: string, { headers }: CallContext): Reply {
  const { fd, size, etag } = recordings.files.open(id)
  const common = { 'accept-ranges': 'bytes', etag }
  const bare = (status: number, more: Record<string, string>, type = 'video/mp4', body = '') => {
    closeSync(fd)
    return new Reply(type, body, { status, headers: { ...common, ...more } })
  }
  if (isKnown(headers['if-none-match'], etag)) return bare(304, {})
  const wanted = wantedRange(headers['range'], size, { etag, ifRange: headers['if-range'] })
  if (wanted.kind === 'outside') {
    const problem = new Problem(
      'bad-request',
      `The recording has ${size} bytes; the range lies beyond them. Ask for less.`,
    )
    const body = JSON.stringify({ ...problem.toWire(), status: 416 })
    return bare(416, { 'content-range': `bytes */${size}` }, 'application/problem+json', body)
  }
  if (size === 0) return bare(200, {})
  const [start, end] = wanted.kind === 'part' ? [wanted.start, wanted.end] : [0, size - 1]
  const part = wanted.kind === 'part' ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}
  return new Reply('video/mp4', createReadStream('', { fd, start, end }), {
    status: wanted.kind === 'part' ? 206 : 200,
    headers: { ...common, ...part, 'content-length': String(end - start + 1) },
  })
}
