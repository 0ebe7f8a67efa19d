import fs from 'node:fs'
import type Docker from 'dockerode'
import type { Log } from '../log.ts'
import { type DockerEvent, followEvents } from './follow-events.ts'
import { noDockerProblem } from './no-docker.ts'
import { dockerSockets } from './socket-places.ts'

/** An engine that takes longer to say its version is as good as stopped. */
const answerLimitMs = 2500
/** Within this time a good answer is not asked for again. */
const trustedMs = 1000

export interface DockerFacts {
  version: string
  containers: number
}

/**
 * The Docker engine of this machine, whichever socket it is on and however often it restarts. The client
 * library is loaded when the first socket is found: a machine without Docker pays nothing for it.
 */
export class DockerEngine {
  readonly #env: NodeJS.ProcessEnv
  readonly #log: Log
  readonly #eventListeners = new Set<(event: DockerEvent) => void>()
  readonly #changeListeners = new Set<(up: boolean) => void>()
  #found: { client: Docker; socketPath: string; at: number } | undefined
  #looking: Promise<Docker | undefined> | undefined
  #stopFollowing: (() => void) | undefined
  #up = false
  #seen = false

  constructor(env: NodeJS.ProcessEnv, log: Log) {
    this.#env = env
    this.#log = log
  }

  /** The client of an engine that answers now; a problem with the next step where there is none. */
  async client(): Promise<Docker> {
    const client = await this.#look()
    if (client === undefined) throw noDockerProblem(this.#env)
    return client
  }

  /** Version and number of containers; undefined without an engine. */
  async available(): Promise<DockerFacts | undefined> {
    if ((await this.#look()) === undefined || this.#found === undefined) return undefined
    try {
      const probe = await connect(this.#found.socketPath, answerLimitMs)
      const [version, containers] = await Promise.all([probe.version(), probe.listContainers({ all: true })])
      return { version: version.Version, containers: containers.length }
    } catch {
      this.#found = undefined
      return undefined
    }
  }

  /** Whether the engine answered when it was last looked at, or its event stream is open. */
  get up(): boolean {
    return this.#up
  }

  /** Whether there is reason to expect an engine here: one was named, was seen, or has left its socket. */
  get expected(): boolean {
    if (this.#seen || (this.#env['DOCKER_HOST'] ?? '') !== '') return true
    return dockerSockets(this.#env).some((socket) => fs.existsSync(socket))
  }

  /** What happens to containers; goes on by itself after the engine restarted. Returns the way to stop. */
  onEvent(listener: (event: DockerEvent) => void): () => void {
    this.#eventListeners.add(listener)
    this.#follow()
    return () => this.#eventListeners.delete(listener)
  }

  /** When the engine comes and goes. After it came, look afresh: events in between are lost. Returns the way to stop. */
  onChange(listener: (up: boolean) => void): () => void {
    this.#changeListeners.add(listener)
    this.#follow()
    return () => this.#changeListeners.delete(listener)
  }

  close(): void {
    this.#stopFollowing?.()
    this.#eventListeners.clear()
    this.#changeListeners.clear()
  }

  #follow(): void {
    this.#stopFollowing ??= followEvents({
      client: () => this.#look(),
      onEvent: (event) => {
        for (const listener of this.#eventListeners) listener(event)
      },
      onOpen: (open) => this.#setUp(open),
    })
  }

  #setUp(up: boolean): void {
    if (up === this.#up) return
    this.#up = up
    if (!up) this.#found = undefined
    this.#log(up ? 'info' : 'warn', up ? 'Docker answers' : 'Docker does not answer')
    for (const listener of this.#changeListeners) listener(up)
  }

  #look(): Promise<Docker | undefined> {
    if (this.#found !== undefined && performance.now() - this.#found.at < trustedMs) {
      return Promise.resolve(this.#found.client)
    }
    this.#looking ??= this.#search().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #search(): Promise<Docker | undefined> {
    const last = this.#found?.socketPath
    const places = dockerSockets(this.#env)
    for (const socketPath of last === undefined ? places : [last, ...places.filter((place) => place !== last)]) {
      if (!fs.existsSync(socketPath)) continue
      try {
        await (await connect(socketPath, answerLimitMs)).ping()
      } catch {
        // A socket without an engine behind it: the next place may have one.
        continue
      }
      const client = this.#found?.socketPath === socketPath ? this.#found.client : await connect(socketPath)
      this.#found = { client, socketPath, at: performance.now() }
      this.#seen = true
      return client
    }
    this.#found = undefined
    return undefined
  }
}

async function connect(socketPath: string, timeout?: number): Promise<Docker> {
  const { default: Client } = await import('dockerode')
  // The library reads DOCKER_HOST itself and would prefer it: the host is taken away.
  return new Client({ socketPath, host: undefined, ...(timeout === undefined ? {} : { timeout }) })
}
