import type { AgentEvent, CallParamsOut, CallResultIn } from '../../shared/contract/index.ts'
import type { TimelineEntry } from '../../shared/contract/timeline.ts'
import { recordingEntry, writeAudit } from '../../shared/domain/timeline/from-audit.ts'
import { writeEvent } from '../../shared/domain/timeline/from-event.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { EventLog } from '../events/events.service.ts'
import type { Log } from '../log.ts'
import type { Recording } from '../recordings/recording-files.ts'
import { Moments } from './moments.ts'
import { PictureFiles, type PictureLimits } from './pictures.ts'
import { TimelineStore } from './timeline.store.ts'

/** An agent that gets a timeline for the first time reads so much of its old audit, not years of it. */
const firstAuditLinks = 10_000
/** What comes within this is written together: a busy machine has one transaction for many events. */
const gatherMs = 100

export interface TimelineOptions {
  dataDir: string
  events: EventLog
  audit: AuditLog
  recordings: () => readonly Recording[]
  draw: () => Promise<Uint8Array | null>
  log: Log
  pictures?: PictureLimits
}

/**
 * Everything that happened, on one clock. It is read from the logs of events and of the audit, each with a number up
 * to which it was read: an agent that was killed in between reads on from there when it starts again.
 */
export class TimelineService {
  readonly pictures: PictureFiles
  readonly #options: TimelineOptions
  readonly #store: TimelineStore
  readonly #moments: Moments
  readonly #stops: (() => void)[]
  #timer: NodeJS.Timeout | undefined

  constructor(options: TimelineOptions) {
    const { dataDir, events, audit, draw, log } = options
    this.#options = options
    this.#store = new TimelineStore(dataDir)
    this.pictures = new PictureFiles(dataDir, (id) => this.#store.forgetPicture(id), options.pictures)
    this.#moments = new Moments({ files: this.pictures, draw, publish: events.publish, log })
    this.#stops = [
      events.subscribe((event) => {
        this.#soon()
        this.#moments.heard(event as unknown as AgentEvent)
      }),
      audit.onAppend(() => this.#soon()),
    ]
    this.#soon()
  }

  list(params: CallParamsOut<'timeline.list'>): CallResultIn<'timeline.list'> {
    this.catchUp()
    const { from, to, limit, changedAfter } = params
    const kinds = params.kinds?.split(',')
    const { entries, more } = this.#store.list({ from, to, kinds, limit, changedAfter })
    // Those from before the oldest of a page come with their own page: whoever asks on from there would miss the rest.
    const reached = more ? entries.at(-1)?.at : undefined
    const all = kinds === undefined || kinds.includes('recording') ? this.#films(from, to) : []
    const films = reached === undefined ? all : all.filter(({ at }) => at >= reached)
    // A film knows its own end, whatever the audit says; when it is deleted its call and its key are all there is.
    const filmed = new Set(films.map(({ key }) => key))
    const others = entries.filter(({ key }) => !filmed.has(key))
    return { entries: merged(others, films), revision: this.#store.revision, more, now: new Date().toISOString() }
  }

  /** Reads what the logs have beyond what was read. */
  catchUp(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { events, audit, log } = this.#options
    try {
      this.#readEvents(events)
      this.#readAudit(audit)
    } catch (error) {
      log('warn', 'the timeline could not be written', { reason: (error as Error).message })
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    await this.#moments.close()
    this.catchUp()
    clearTimeout(this.#timer)
    this.#store.close()
  }

  #readEvents(events: EventLog): void {
    // A log that was lost begins again below what was read of it.
    const kept = this.#store.cursor('events') ?? 0
    let read = kept > events.lastSeq ? 0 : kept
    for (let batch = events.after(read); batch.length > 0; batch = events.after(read)) {
      const last = batch.at(-1)?.seq ?? read
      this.#store.writeFrom('events', last, () => {
        for (const event of batch) writeEvent(this.#store, event as unknown as AgentEvent)
      })
      read = last
    }
  }

  #readAudit(audit: AuditLog): void {
    const kept = this.#store.cursor('audit') ?? Math.max(0, audit.size - firstAuditLinks)
    let read = kept > audit.size ? 0 : kept
    while (read < audit.size) {
      const { entries, last } = audit.changedAfter(read)
      this.#store.writeFrom('audit', last, () => {
        for (const entry of entries) writeAudit(this.#store, entry)
      })
      read = last
    }
  }

  #films(from: string | undefined, to: string | undefined): TimelineEntry[] {
    const [first, last] = [from, to].map((time) => (time === undefined ? undefined : new Date(time).toISOString()))
    return this.#options
      .recordings()
      .map(recordingEntry)
      .filter(({ at, until }) => (last === undefined || at <= last) && (first === undefined || (until ?? '~') >= first))
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.catchUp(), gatherMs).unref()
  }
}

function merged(entries: readonly TimelineEntry[], films: readonly TimelineEntry[]): TimelineEntry[] {
  if (films.length === 0) return [...entries]
  return [...entries, ...films].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}
