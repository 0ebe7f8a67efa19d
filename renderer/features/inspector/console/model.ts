import { callAgent } from '../../../app/bridge.ts'
import { Changing } from '../changing.ts'
import type { Opened } from '../objects/ObjectView.tsx'
import { readProperties } from '../objects/remote.ts'
import type { InspectorSession, Scope } from '../session.ts'
import {
  calledEntry,
  type Draft,
  type Entry,
  folded,
  isRepeat,
  loggedEntry,
  mark,
  notYetThere,
  recordedEntry,
  thrownEntry,
} from './entries.ts'

/** Beyond this the oldest go. */
export const keptEntries = 5000
/** Dropped in lots, so that a page that floods its console does not cost a copy for each line. */
const lot = 500

/** The console of a machine's pages: what was recorded before, what is said now, over navigations and connections. */
export class ConsoleModel extends Changing {
  readonly #session: InspectorSession
  #entries: Entry[] = []
  #lastId = 0
  #dropped = 0
  #depth = 0
  #recordAsked = false
  /** While a new connection tells what was said before it. */
  #replaying = false
  #caughtUp = false
  readonly opened = new Map<string, Opened>()

  constructor(session: InspectorSession) {
    super()
    this.#session = session
    session.onReset(() => {
      this.opened.clear()
      this.#depth = 0
      this.#replaying = true
      this.#caughtUp = false
    })
    session.on('Runtime.consoleAPICalled', (params, sessionId) => this.#called(params, sessionId))
    session.on('Runtime.exceptionThrown', (params, sessionId) => this.#add(thrownEntry(params), sessionId))
    session.on('Log.entryAdded', (params, sessionId) => {
      const entry = params['entry'] as Record<string, unknown>
      // Chromium tells the page once more, in poorer words, what a worker of it said: the worker is heard itself, and
      // what it said before that is told again, or stands in the agent's record.
      const heardItself = () => this.#replaying || session.scopes.some(({ type }) => type === 'worker')
      if (entry['source'] === 'worker' && heardItself()) return
      this.#add(loggedEntry(entry), sessionId)
    })
    session.on('Pilothouse.leftOut', (params, sessionId) => {
      const megabytes = Math.round(Number(params['bytes']) / 1_000_000)
      this.#add(mark(`Something of ${megabytes} MB was left out: it is too large to show`, Date.now()), sessionId)
    })
    session.on('Page.frameNavigated', (params, sessionId) => {
      const frame = params['frame'] as { url?: string; parentId?: string }
      if (sessionId !== undefined || frame.parentId !== undefined) return
      this.#depth = 0
      this.#add(mark(`Navigated to ${frame.url ?? ''}`, Date.now()), undefined)
    })
    session.onScope((scope) => void this.#follow(scope))
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** How many of the oldest had to go. */
  get dropped(): number {
    return this.#dropped
  }

  /** Whether the page that is looked at has told all it said before. */
  get caughtUp(): boolean {
    return this.#caughtUp
  }

  /** Adds what the agent recorded while nobody listened here; not before the page told its own, which is the same. */
  async lookBack(): Promise<void> {
    const { messages } = await callAgent(this.#session.machineId, 'browser.console', { limit: 1000 })
    this.#addRecord(messages.map(recordedEntry))
  }

  /** Empties the view; the page's own console stays as it is. */
  clear(): void {
    this.#entries = []
    this.#dropped = 0
    this.opened.clear()
    this.changed()
  }

  async read(objectId: string, sessionId: string | undefined) {
    const params = { objectId, ownProperties: true, generatePreview: true }
    return readProperties(await this.#session.send('Runtime.getProperties', params, sessionId))
  }

  async #follow({ sessionId }: Scope): Promise<void> {
    const enable = (domain: string) => this.#session.send(`${domain}.enable`, {}, sessionId).catch(() => {})
    // Both answer after they have told what was said before.
    await Promise.all([enable('Runtime'), enable('Log')])
    if (sessionId !== undefined) return
    this.#replaying = false
    this.#caughtUp = true
    this.changed()
    await enable('Page')
    if (this.#recordAsked) return
    this.#recordAsked = true
    // What is said from now on is shown all the same.
    await this.lookBack().catch(() => {
      this.#recordAsked = false
    })
  }

  #called(params: Record<string, unknown>, sessionId: string | undefined): void {
    const type = String(params['type'])
    if (type === 'endGroup') this.#depth = Math.max(0, this.#depth - 1)
    else if (type === 'clear') {
      this.#depth = 0
      this.#add(mark('The page cleared its console', Number(params['timestamp'])), sessionId)
    } else {
      this.#add(calledEntry(params), sessionId)
      if (type.startsWith('startGroup')) this.#depth++
    }
  }

  #add(draft: Draft, sessionId: string | undefined): void {
    if (this.#replaying && this.#isKnown(draft, sessionId)) return
    const last = this.#entries.at(-1)
    if (last !== undefined && isRepeat(last, draft, this.#depth))
      this.#entries[this.#entries.length - 1] = { ...last, count: last.count + 1, at: draft.at }
    else this.#entries.push({ ...draft, id: ++this.#lastId, count: 1, depth: Math.min(this.#depth, 12), sessionId })
    this.#trim()
    this.changed()
  }

  /** Told again by a new connection: the entry stays, with the objects that this connection can open. */
  #isKnown(draft: Draft, sessionId: string | undefined): boolean {
    const place = this.#entries.findLastIndex(({ at, text }) => at === draft.at && text === draft.text)
    const entry = this.#entries[place]
    // A repeat keeps the time of its last saying only.
    const newest = this.#entries.at(-1)?.at ?? Number.NEGATIVE_INFINITY
    if (entry === undefined)
      return draft.at < newest && this.#entries.some((one) => one.count > 1 && one.text === draft.text)
    this.#entries[place] = { ...entry, pieces: draft.pieces, sessionId }
    this.changed()
    return true
  }

  #addRecord(record: readonly Draft[]): void {
    const fresh = notYetThere(record, this.#entries)
    const entries = fresh.map((draft) => ({ ...draft, id: ++this.#lastId, count: 1, depth: 0, sessionId: undefined }))
    this.#entries = folded([...this.#entries, ...entries].sort((a, b) => a.at - b.at))
    this.#trim()
    this.changed()
  }

  #trim(): void {
    if (this.#entries.length < keptEntries + lot) return
    const over = this.#entries.length - keptEntries
    for (const { id } of this.#entries.slice(0, over)) this.#forget(id)
    this.#entries = this.#entries.slice(over)
    this.#dropped += over
  }

  #forget(id: number): void {
    for (const path of this.opened.keys()) if (path.startsWith(`${id}:`)) this.opened.delete(path)
  }
}

const models = new WeakMap<InspectorSession, ConsoleModel>()

export function consoleOf(session: InspectorSession): ConsoleModel {
  const model = models.get(session) ?? new ConsoleModel(session)
  models.set(session, model)
  return model
}
