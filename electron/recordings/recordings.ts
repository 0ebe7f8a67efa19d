import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../shared/errors.ts'
import type { IpcResult } from '../../shared/ipc.ts'
import { recordingsUrl, responseHeaders } from '../app-scheme.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Caller } from '../ipc/dispatch.ts'
import { savedName } from '../saved-name.ts'

export interface RecordingsDeps {
  fleet: Pick<Fleet, 'client' | 'machine' | 'view'>
  chooseFile: (suggested: string) => Promise<string | undefined>
}

interface Grant {
  machineId: string
  id: string
  caller: Caller
}

/** Films that lie on the machines: played from there part by part, as a player asks for them, or saved whole. */
export class Recordings {
  readonly #deps: RecordingsDeps
  readonly #granted = new Map<string, Grant>()

  constructor(deps: RecordingsDeps) {
    this.#deps = deps
  }

  /** The address is a secret between main and one window, and good while that window's page is there. */
  play(machineId: string, id: string, caller: Caller): string {
    this.#deps.fleet.view(machineId)
    const key = randomUUID()
    this.#granted.set(key, { machineId, id, caller })
    caller.onGone(() => this.#granted.delete(key))
    return `${recordingsUrl}${key}`
  }

  /** Answers the player. */
  serve(request: Request): Promise<Response> {
    const grant = request.url.startsWith(recordingsUrl)
      ? this.#granted.get(request.url.slice(recordingsUrl.length))
      : undefined
    if (grant === undefined || request.method !== 'GET')
      return Promise.resolve(new Response('There is no such recording.', { status: 404 }))
    return this.#film(grant, request)
  }

  async save(machineId: string, id: string): Promise<IpcResult<'recording.save'>> {
    const { fleet, chooseFile } = this.#deps
    const file = await chooseFile(`${savedName(fleet.view(machineId).name)}.mp4`)
    if (file === undefined) return { file: null, bytes: 0 }
    const { signal } = fleet.machine(machineId)
    const { body } = await fleet.client(machineId).download('desktop.getRecording', { id }, { signal })
    const part = `${file}.${randomUUID().slice(0, 8)}.part`
    let bytes = 0
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        done(null, chunk)
      },
    })
    try {
      // Complete under its name, or not there.
      await pipeline(
        Readable.from(body as unknown as AsyncIterable<Uint8Array>),
        count,
        createWriteStream(part, { flags: 'wx', mode: 0o600 }),
        { signal },
      )
      await rename(part, file)
    } catch (error) {
      await rm(part, { force: true })
      const why = error instanceof Error ? error.message : String(error)
      throw new Problem('conflict', `The recording could not be saved: ${why} Nothing was kept; try again.`)
    }
    return { file, bytes }
  }

  async #film({ machineId, id }: Grant, request: Request): Promise<Response> {
    const range = request.headers.get('range') ?? undefined
    try {
      const client = this.#deps.fleet.client(machineId)
      const { status, headers, body } = await client.download(
        'desktop.getRecording',
        { id },
        { range, signal: request.signal },
      )
      const passed = ['content-length', 'content-range', 'accept-ranges'].flatMap((name) => {
        const value = headers[name]
        return value !== undefined && /^[\w */-]{1,100}$/.test(value) ? [[name, value] as const] : []
      })
      return new Response(body, {
        status: status === 206 ? 206 : 200,
        headers: { ...responseHeaders('video/mp4'), ...Object.fromEntries(passed) },
      })
    } catch (error) {
      const missing = error instanceof Problem && error.code === 'not-found'
      return new Response('The recording cannot be had.', { status: missing ? 404 : 502 })
    }
  }
}
