import { LineAssembler } from '../../shared/domain/log-lines.ts'
import { type LogPosition, milliseconds } from '../../shared/domain/log-time.ts'
import { asDockerProblem, statusOf } from '../docker/docker-problem.ts'
import type { DockerEngine } from '../docker/engine.ts'
import { containerHistory, mergeHistories } from './container-history.ts'
import { dockerLog, findLog, followContainer } from './container-lines.ts'
import type { ContainerList, LogContainer } from './containers.ts'
import { hasLater } from './docker-follow.ts'
import type { Nudge } from './file-alarm.ts'
import { type MergeBranch, TimeMerge } from './merge.ts'
import { assembleAll, type History, type HistoryQuery, type LineSink, type LineSource } from './sources.ts'

/** After an end that nobody announced, the log is tried again this soon. */
const retryMs = 1000
/** Docker's own stream of a container that is none of ours any more ends by itself; not for ever, though. */
const finishMs = 2000

export interface ContainerSourceParts {
  engine: DockerEngine
  list: ContainerList
  /** What the lines are called. */
  service: string
  /** Whether several containers can be meant: lines then say which they came from. */
  several: boolean
  matches: (container: LogContainer) => boolean
}

/** The log of every container that fits: one, its successor after a deploy, or all workers. */
export class ContainerSource implements LineSource {
  readonly #parts: ContainerSourceParts

  constructor(parts: ContainerSourceParts) {
    this.#parts = parts
  }

  async history(query: HistoryQuery): Promise<History> {
    const { engine, list, service, several, matches } = this.#parts
    // The list was asked for just now, to find this source.
    const containers = list.latest.filter(matches)
    const histories = await Promise.all(
      containers.map(async (container) => {
        const found = await containerHistory(engine, container.id, service, query)
        if (several) for (const line of found.lines) line.container = container.name
        return found
      }),
    )
    return mergeHistories(histories, query.lines)
  }

  follow(after: LogPosition, sink: LineSink): () => void {
    const follow = new ContainerFollow(this.#parts, after, sink)
    return () => follow.stop()
  }
}

interface Member {
  container: LogContainer
  branch: MergeBranch
  nudge: Nudge
  finish: AbortController
  stop: AbortController
  wake: () => void
  /** Why Docker gives no log, when that has been told. */
  refused: string | undefined
}

class ContainerFollow {
  readonly #parts: ContainerSourceParts
  readonly #after: LogPosition
  readonly #sink: LineSink
  readonly #merge: TimeMerge
  readonly #members = new Map<string, Member>()
  readonly #stopListening: () => void
  #stopped = false
  #up = true
  /** Containers that come later are read from their first line. */
  #begun = false

  constructor(parts: ContainerSourceParts, after: LogPosition, sink: LineSink) {
    this.#parts = parts
    this.#after = after
    this.#sink = sink
    this.#merge = new TimeMerge((lines) => (this.#stopped ? undefined : sink.lines(lines)))
    this.#stopListening = parts.list.listen(() => this.#update())
    parts.list.refresh().then(
      () => this.#update(),
      () => this.#update(),
    )
  }

  stop(): void {
    this.#stopped = true
    this.#stopListening()
    this.#merge.stop()
    for (const member of this.#members.values()) member.stop.abort()
    this.#members.clear()
  }

  #update(): void {
    if (this.#stopped) return
    const { list, matches } = this.#parts
    if (list.up !== this.#up) {
      this.#up = list.up
      this.#sink.notice(list.up ? 'Docker is back; the stream goes on.' : 'Docker does not answer. Waiting for it.')
    }
    if (!list.up) return
    const wanted = list.latest.filter(matches)
    const gone = [...this.#members.values()].filter(({ container }) => !wanted.some(({ id }) => id === container.id))
    const come = wanted.filter(({ id }) => !this.#members.has(id))
    this.#announce(gone, come)
    for (const member of gone) this.#leave(member)
    for (const container of come) this.#join(container)
    for (const container of wanted) this.#look(container)
    this.#begun = true
  }

  #announce(gone: readonly Member[], come: readonly LogContainer[]): void {
    if (!this.#begun) return
    const name = (container: LogContainer) => `${container.name} (${container.id.slice(0, 12)})`
    for (const [index, container] of come.entries()) {
      const before = gone[index]?.container
      if (before === undefined) this.#sink.notice(`${name(container)} joined the stream.`)
      else this.#sink.notice(`${name(before)} was replaced; the stream goes on with ${name(container)}.`)
    }
    for (const { container } of gone.slice(come.length)) {
      this.#sink.notice(`${name(container)} is gone. Waiting for another to take its place.`)
    }
  }

  #join(container: LogContainer): void {
    const nudge: Nudge = { look: undefined }
    const member: Member = {
      container,
      nudge,
      branch: this.#merge.open(nudge),
      finish: new AbortController(),
      stop: new AbortController(),
      wake: () => {},
      refused: undefined,
    }
    this.#members.set(container.id, member)
    void this.#read(member, this.#begun ? undefined : this.#after).finally(() => member.branch.close())
  }

  #leave(member: Member): void {
    this.#members.delete(member.container.id)
    member.finish.abort()
    member.wake()
    setTimeout(() => member.stop.abort(), finishMs).unref()
  }

  #look(container: LogContainer): void {
    const member = this.#members.get(container.id)
    if (member === undefined) return
    const before = member.container
    member.container = container
    if (before.running === container.running) return member.wake()
    const what = container.running ? 'runs again' : 'stopped'
    this.#sink.notice(`${container.name} ${what}.`)
    member.wake()
  }

  /** Reads a container's log through all its runs, and goes on behind the last line whenever the reading broke off. */
  async #read(member: Member, after: LogPosition | undefined): Promise<void> {
    const { engine, service, several } = this.#parts
    let position = after
    let fresh = after !== undefined && Date.now() - milliseconds(after.timestamp) < retryMs
    while (!member.stop.signal.aborted) {
      const assembler = new LineAssembler(service, position)
      let behind = false
      try {
        const log = await findLog(engine, member.container.id)
        const from = position?.timestamp ?? '1970-01-02T00:00:00.000000000Z'
        const signals = { stop: member.stop.signal, finish: member.finish.signal, nudge: member.nudge }
        await assembleAll(followContainer(engine, log, { from, fresh, ...signals }), assembler, (lines) => {
          if (several) for (const line of lines) line.container = member.container.name
          return member.branch.offer(lines)
        })
        const last = assembler.position
        // Docker's stream can end before the log does; but one that gave nothing is not asked again at once.
        if (log.file === undefined && last !== undefined && last.timestamp !== position?.timestamp)
          behind = await hasLater(dockerLog(engine, log), last.timestamp, member.stop.signal)
      } catch (error) {
        // Docker went away or the container did: both are seen in the list. Anything else nobody would learn of.
        if (![undefined, 404].includes(statusOf(error))) this.#refused(member, asDockerProblem(error, {}).message)
      }
      position = assembler.position
      fresh = false
      void member.branch.offer([])
      if (member.finish.signal.aborted || this.#stopped) return
      if (!behind) await this.#nextRun(member)
    }
  }

  #refused(member: Member, reason: string): void {
    if (member.refused === reason) return
    member.refused = reason
    this.#sink.notice(`The log of ${member.container.name} cannot be read. ${reason}`)
  }

  /** Until the list says something new about the container or, where it runs, a moment has passed. */
  #nextRun(member: Member): Promise<void> {
    const { nudge } = member
    // Nothing can come meanwhile, and the others need not wait to learn that.
    nudge.look = () => setImmediate(() => void member.branch.offer([]))
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        if (member.container.running && this.#parts.list.up) done()
      }, retryMs)
      const done = () => {
        clearInterval(timer)
        nudge.look = undefined
        member.stop.signal.removeEventListener('abort', done)
        member.wake = () => {}
        resolve()
      }
      member.wake = () => {
        if (member.container.running || member.finish.signal.aborted) done()
      }
      member.stop.signal.addEventListener('abort', done)
    })
  }
}
