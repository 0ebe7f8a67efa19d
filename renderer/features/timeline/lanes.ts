import type { TimelineEntry, TimelineKind } from '../../../shared/contract/timeline.ts'
import type { Tone } from '../../ui/tone.ts'

/** The lanes, as they stand below each other: who drove, what broke, what was changed. */
export const lanes: readonly { kind: TimelineKind; title: string }[] = [
  { kind: 'engine', title: 'Engine' },
  { kind: 'takeover', title: 'Takeovers' },
  { kind: 'browser', title: 'Browser' },
  { kind: 'page', title: 'Page errors' },
  { kind: 'network', title: 'Failed requests' },
  { kind: 'deploys', title: 'Deploys' },
  { kind: 'commands', title: 'Env & commands' },
  { kind: 'workers', title: 'Workers' },
  { kind: 'recording', title: 'Recording' },
  { kind: 'machine', title: 'Machine' },
]

export const laneNames = Object.fromEntries(lanes.map(({ kind, title }) => [kind, title]))

/** What an entry is called in the list: its lane in one or two words. */
export function kindName(kind: string): string {
  return laneNames[kind] ?? kind
}

/** An entry with its times as numbers, which is what drawing needs thousands of times. */
export interface Placed {
  entry: TimelineEntry
  start: number
  /** The same as the start for a moment; endless while it goes on. */
  end: number
  tone: Tone
}

const tones: readonly Tone[] = ['engine', 'person', 'up', 'unknown', 'broken', 'expired', 'off']

/** Each entry is read once: with every piece of news all of them are put in order again. */
const known = new WeakMap<TimelineEntry, Placed>()

/** What a machine says to have happened outside these years did not, and no scale reaches there. */
const latest = Date.UTC(3000, 0)

/** Entries in time order, as they are drawn and listed. */
export function place(entries: Iterable<TimelineEntry>): Placed[] {
  const placed: Placed[] = []
  for (const entry of entries) {
    const one = known.get(entry) ?? placeOne(entry)
    known.set(entry, one)
    if (one.start >= 0 && one.start < latest) placed.push(one)
  }
  return placed.sort((a, b) => a.start - b.start || (a.entry.key < b.entry.key ? -1 : 1))
}

function placeOne(entry: TimelineEntry): Placed {
  const start = Date.parse(entry.at)
  const until = entry.until === null ? start : Date.parse(entry.until)
  const end = entry.running
    ? Number.POSITIVE_INFINITY
    : Number.isNaN(until)
      ? start
      : Math.min(Math.max(start, until), latest)
  return { entry, start, end, tone: tones.find((tone) => tone === entry.tone) ?? 'off' }
}

export interface Filter {
  /** None is all. */
  kinds: readonly string[]
  text: string
  errorsOnly: boolean
}

export const noFilter: Filter = { kinds: [], text: '', errorsOnly: false }

export const isError = ({ tone }: Placed) => tone === 'broken' || tone === 'expired'

export function filtered(placed: readonly Placed[], { kinds, text, errorsOnly }: Filter): readonly Placed[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  if (kinds.length === 0 && words.length === 0 && !errorsOnly) return placed
  return placed.filter((one) => {
    if (errorsOnly && !isError(one)) return false
    if (kinds.length > 0 && !kinds.includes(one.entry.kind)) return false
    if (words.length === 0) return true
    const all = wordsOf(one.entry)
    return words.every((word) => all.includes(word))
  })
}

const said = new WeakMap<TimelineEntry, string>()

/** All that an entry says, for looking through it at every letter that is typed. */
function wordsOf(entry: TimelineEntry): string {
  const { title, detail, who, kind } = entry
  const all = said.get(entry) ?? `${title}\n${detail}\n${who ?? ''}\n${kindName(kind)}`.toLowerCase()
  said.set(entry, all)
  return all
}

/** What lies in a stretch of time, or reaches into it. */
export function within(placed: readonly Placed[], from: number, to: number): readonly Placed[] {
  return placed.filter(({ start, end }) => start <= to && end >= from)
}

export interface ControlStretch {
  from: number
  to: number
  tone: 'person' | 'engine' | 'up'
}

const rank = { up: 0, engine: 1, person: 2 } as const
const drivers: Readonly<Record<string, ControlStretch['tone']>> = { lease: 'person', engine: 'engine', browser: 'up' }

/** Who was in control when: a person before an engine before nobody; a gap is a browser that was off. */
export function controlOf(placed: readonly Placed[], now: number): ControlStretch[] {
  const spans = placed.flatMap(({ entry, start, end }) => {
    const tone = drivers[entry.what]
    return tone === undefined ? [] : [{ tone, from: start, to: Math.min(end, Math.max(now, start)) }]
  })
  const edges = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const byStart = spans.sort((a, b) => a.from - b.from)
  const found: ControlStretch[] = []
  let open: typeof spans = []
  let next = 0
  for (const [index, from] of edges.entries()) {
    const to = edges[index + 1]
    if (to === undefined) break
    for (let span = byStart[next]; span !== undefined && span.from <= from; span = byStart[++next]) open.push(span)
    open = open.filter((span) => span.to > from)
    const holder = open.reduce<ControlStretch['tone'] | null>(
      (best, { tone }) => (best === null || rank[tone] > rank[best] ? tone : best),
      null,
    )
    const last = found.at(-1)
    if (holder === null) continue
    if (last !== undefined && last.tone === holder && last.to === from) last.to = to
    else found.push({ from, to, tone: holder })
  }
  return found
}
