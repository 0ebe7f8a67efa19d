import type { ContainerInfo } from 'dockerode'
import type { DockerEngine } from '../docker/engine.ts'
import { labelNames } from '../docker/managed.ts'

/** A container as its log needs it. */
export interface LogContainer {
  id: string
  name: string
  service: string | undefined
  running: boolean
}

/** How often a list that may have changed is asked for, at most. */
const gatherMs = 30

/** The machine's containers, kept up to date for as long as someone listens. */
export class ContainerList {
  readonly #engine: DockerEngine
  readonly #listeners = new Set<() => void>()
  #cleanups: (() => void)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #latest: readonly LogContainer[] = []
  #questions = 0
  #answered = 0
  #up = true
  /** Counts what Docker has told by itself, and how much of that the list knows of. */
  #changes = 0
  #knows = -1
  #watching = false

  constructor(engine: DockerEngine) {
    this.#engine = engine
  }

  get latest(): readonly LogContainer[] {
    return this.#latest
  }

  /** False while Docker does not answer. */
  get up(): boolean {
    return this.#up
  }

  /** The list as Docker's own events keep it; asked for where those may have missed something. */
  current(): Promise<readonly LogContainer[]> {
    const known = this.#engine.up && this.#knows === this.#changes
    return known ? Promise.resolve(this.#latest) : this.refresh()
  }

  /** Asks Docker. Of two answers that overtake each other the later question counts. */
  async refresh(): Promise<readonly LogContainer[]> {
    this.#watch()
    const docker = await this.#engine.client()
    const question = ++this.#questions
    const changes = this.#changes
    const answer = (await docker.listContainers({ all: true })).map(toLogContainer)
    if (question > this.#answered) {
      this.#answered = question
      this.#latest = answer
      this.#knows = changes
    }
    return this.#latest
  }

  /** For as long as the agent runs: it follows Docker's events in any case. */
  #watch(): void {
    if (this.#watching) return
    this.#watching = true
    this.#engine.onEvent(({ action }) => {
      if (!action.startsWith('exec_')) this.#changes++
    })
    this.#engine.onChange(() => this.#changes++)
  }

  /** Calls back after every change. Returns the way to stop. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#cleanups = [
        this.#engine.onEvent(({ action }) => {
          if (!action.startsWith('exec_')) this.#soon()
        }),
        this.#engine.onChange((up) => this.#changed(up)),
      ]
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearTimeout(this.#timer)
      this.#timer = undefined
      for (const cleanup of this.#cleanups.splice(0)) cleanup()
    }
  }

  #changed(up: boolean): void {
    this.#up = up
    if (up) this.#soon()
    else this.#tell()
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.refresh().then(
        () => this.#tell(),
        // Docker went away: `onChange` says so, and again when it is back.
        () => {},
      )
    }, gatherMs)
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

function toLogContainer(info: ContainerInfo): LogContainer {
  return {
    id: info.Id,
    name: (info.Names[0] ?? '').replace(/^\//, ''),
    service: info.Labels?.[labelNames.service],
    running: info.State === 'running' || info.State === 'paused' || info.State === 'restarting',
  }
}
