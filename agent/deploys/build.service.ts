import fs from 'node:fs'
import type { CallResult } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { DockerOperations } from '../docker/operations.ts'
import type { Publish } from '../events/publish.ts'
import { buildContext } from './build-context.ts'
import type { ServicesFile } from './services-file.ts'

/** Output goes out in pieces of this size or age: an event per line would drown the event log. */
const pieceChars = 8 * 1024
const pieceMs = 100

export interface BuildOptions {
  docker: DockerOperations
  files: ServicesFile
  publish: Publish
}

/** Builds the image from the folder that services.json names, one build at a time. */
export class BuildService {
  readonly #options: BuildOptions
  #running: { imageTag: string; abort: AbortController } | undefined

  constructor(options: BuildOptions) {
    this.#options = options
  }

  async build(tag: string | undefined): Promise<CallResult<'deploys.build'>> {
    const { docker, files, publish } = this.#options
    if (this.#running !== undefined) {
      throw new Problem('conflict', `${this.#running.imageTag} is being built. Wait for it to end.`)
    }
    if (tag?.startsWith('sha256:') === true)
      throw new Problem('invalid-params', 'tag: a build cannot be given a digest.')
    const { build, image } = files.read()
    const folder = files.buildFolder()
    if (build === undefined || folder === undefined) {
      throw new Problem('conflict', 'services.json names no folder to build from. Add "build": {"folder": "…"} to it.')
    }
    if (!fs.existsSync(folder))
      throw new Problem('conflict', `The folder ${folder} does not exist. Correct "build" in services.json.`)
    const imageTag = tag ?? `build-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`
    const started = performance.now()
    const abort = new AbortController()
    this.#running = { imageTag, abort }
    let unread: Error | undefined
    const output = new Pieces((text) => publish('build_output', { imageTag, text }))
    try {
      const context = await buildContext(folder, build.dockerfile)
      await docker.buildImage(
        () => context().on('error', (error: Error) => (unread = error)),
        { reference: `${image}:${imageTag}`, dockerfile: build.dockerfile, network: build.network },
        (line) => output.add(line.stream ?? line.error ?? (line.status === undefined ? '' : `${line.status}\n`)),
        abort.signal,
      )
    } catch (error) {
      if (unread === undefined) throw error
      const why = `The folder ${folder} could not be read whole: ${unread.message}.`
      throw new Problem(
        'conflict',
        `${why} Correct that, or name what is not needed in .dockerignore.`,
        {},
        { cause: error },
      )
    } finally {
      output.flush()
      this.#running = undefined
    }
    const elapsedMs = Math.round(performance.now() - started)
    return { success: true, message: `${image}:${imageTag} is built. Deploy it by its tag.`, imageTag, elapsedMs }
  }

  close(): void {
    this.#running?.abort.abort()
  }
}

class Pieces {
  readonly #send: (text: string) => void
  #text = ''
  #timer: NodeJS.Timeout | undefined

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  add(text: string): void {
    this.#text += text
    if (this.#text.length >= pieceChars) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), pieceMs)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#text === '') return
    this.#send(this.#text)
    this.#text = ''
  }
}
