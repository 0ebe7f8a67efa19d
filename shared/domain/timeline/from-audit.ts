import type { AuditEntry } from '../../contract/audit.ts'
import type { TimelineEntry, TimelineKind } from '../../contract/timeline.ts'
import { redactPageText } from '../redaction.ts'
import { entry, type TimelineBook } from './book.ts'
import { shifted } from './shifted.ts'

type Details = Record<string, unknown>
type Audited = Pick<
  AuditEntry,
  'id' | 'createdAt' | 'action' | 'operator' | 'details' | 'result' | 'errorMessage' | 'durationMs'
>

interface Told {
  kind: TimelineKind
  title: (details: Details) => string
}

const names = (value: unknown) =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object' && value !== null
      ? Object.keys(value).join(', ')
      : ''
const word = (value: unknown, otherwise = '') =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise
const command = (words: string, name = ''): Told => ({
  kind: 'commands',
  title: (details) => `${words} ${word(details[name])}`.trim(),
})
const worker = (words: string): Told => ({
  kind: 'workers',
  title: ({ id, workerId, worker_id }) => `${words} ${word(id) || word(workerId) || word(worker_id, 'workers')}`,
})
const onMachine = (words: string): Told => ({
  kind: 'machine',
  title: ({ id, name, of }) => `${words} ${word(id) || word(name) || word(of)}`.trim(),
})
const onBrowser = (words: string, name = ''): Told => ({
  kind: 'browser',
  title: (details) => `${words} ${word(details[name])}`.trim(),
})

/** What each action of the audit is called here. What events tell better, with its length and its end, is not here. */
const told: Readonly<Record<string, Told>> = {
  set_env: {
    kind: 'commands',
    title: ({ vars, updatedKeys }) => `Set ${names(vars) || names(updatedKeys) || 'variables'}`,
  },
  delete_env: { kind: 'commands', title: ({ key, keys }) => `Deleted ${word(key) || names(keys) || 'a variable'}` },
  reveal_env: command('Revealed', 'variable'),
  exec: command('Ran', 'command'),
  terminal_open: command('Opened a terminal'),
  terminal_close: command('Closed a terminal'),
  restart_service: { kind: 'commands', title: ({ id, name }) => `Restarted ${word(id) || word(name, 'a service')}` },
  rotate_secret: command('Rotated the secret'),
  build: { kind: 'deploys', title: ({ tag }) => `Built ${word(tag, 'the image')}` },
  start_worker: worker('Start'),
  stop_worker: worker('Stop'),
  drain: worker('Drain'),
  start: onMachine('Start'),
  stop: onMachine('Stop'),
  terminate: onMachine('Shut down'),
  navigate: {
    kind: 'browser',
    title: ({ url }) => (word(url) === '' ? 'Led the page elsewhere' : `Navigate to ${word(url)}`),
  },
  execute: onBrowser('Ran a script in the page'),
  context: onBrowser('Changed a context or cookies'),
  cdp_attach: onBrowser('A CDP client was connected'),
}

/** Writes into the timeline what stands in the audit. */
export function writeAudit(book: TimelineBook, audited: Audited): void {
  const { action, createdAt, operator, details } = audited
  if (operator !== null && (action === 'deploy' || action === 'rollback')) {
    // The deploy itself comes as events, which do not say whose it was.
    book.amend({ latest: 'deploy', since: createdAt }, { who: operator })
  } else if (operator !== null && action === 'browser_start') {
    book.amend({ latest: 'browser', since: createdAt }, { who: operator })
  }
  if (action === 'recording_start' || action === 'recording_stop') return writeRecording(book, audited)
  // An engine's own run is told by its operations.
  const how = action === 'act' ? actTold(details) : told[action]
  if (how === undefined) return
  const failed = audited.result === 'failure' || audited.result === 'error'
  book.put(
    entry({
      ...{ key: `audit:${audited.id}`, kind: how.kind, what: action, at: createdAt, who: operator },
      running: audited.result === 'pending',
      until: over(audited),
      tone: failed ? 'broken' : audited.result === 'unknown' ? 'unknown' : 'off',
      title: redactPageText(how.title(details), 200),
      detail: redactPageText([audited.errorMessage ?? '', said(details)].filter(Boolean).join('\n'), 2000),
      source: { type: 'audit', id: String(audited.id) },
    }),
  )
}

function actTold(details: Details): Told | undefined {
  if ('instruction' in details) return undefined
  const target = ['selector', 'text', 'key'].map((name) => word(details[name])).find((text) => text !== '')
  return onBrowser(`Acted on the page${target === undefined ? '' : `: ${target}`}`)
}

function writeRecording(book: TimelineBook, audited: Audited): void {
  const { id, deleted } = audited.details
  const common = { kind: 'recording', at: audited.createdAt, who: audited.operator } as const
  if (audited.result === 'failure' || audited.result === 'error') {
    const title = 'The recording could not be started or ended'
    const more = { title, tone: 'broken', detail: audited.errorMessage ?? '' } as const
    book.put(entry({ ...common, key: `audit:${audited.id}`, what: 'recording-failed', ...more }))
  } else if (typeof deleted === 'string') {
    book.put(
      entry({ ...common, key: `audit:${audited.id}`, what: 'recording-deleted', title: 'A recording was deleted' }),
    )
  } else if (typeof id === 'string' && audited.result === 'success') {
    const key = `recording:${id}`
    const ends = audited.action === 'recording_stop'
    if (ends && book.find({ key }) !== undefined)
      return book.amend({ key }, { running: false, until: audited.createdAt, title: 'Recording' })
    const source = { type: 'recording', id } as const
    const span = ends ? { running: false } : { running: true }
    book.put(entry({ ...common, key, what: 'recording', title: 'Recording', source, ...span }))
  }
}

function over({ createdAt, durationMs, result }: Audited): string | null {
  if (result === 'pending' || durationMs === null || durationMs === 0) return null
  return shifted(createdAt, durationMs)
}

function said(details: Details): string {
  return Object.entries(details)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}

/** What a film that is kept says of itself, which its audit cannot: films also end by limits. */
export function recordingEntry(film: {
  id: string
  state: string
  startedAt: string
  endedAt: string | null
  resolution: string
  fps: number
  endedBy: string | null
}): TimelineEntry {
  return entry({
    ...{ key: `recording:${film.id}`, kind: 'recording', what: 'recording', at: film.startedAt, until: film.endedAt },
    running: film.state === 'recording',
    tone: film.state === 'failed' ? 'broken' : 'off',
    title: film.state === 'recording' ? 'Recording' : film.state === 'failed' ? 'Recording failed' : 'Recorded',
    detail: [`${film.resolution}, ${film.fps} frames/s.`, film.endedBy === null ? '' : `Ended by ${film.endedBy}.`]
      .filter(Boolean)
      .join(' '),
    source: { type: 'recording', id: film.id },
  })
}
