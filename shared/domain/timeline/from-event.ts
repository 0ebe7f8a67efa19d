import type { AgentEvent } from '../../contract/index.ts'
import type { TimelineEntry } from '../../contract/timeline.ts'
import { redactAddress, redactPageText } from '../redaction.ts'
import { entry, joined, type TimelineBook } from './book.ts'
import { writeEngineEvent } from './from-engine-event.ts'
import { writeTakeoverEvent } from './from-takeover-event.ts'
import { failedRequestTitle, pageErrorTitle } from './titles.ts'

/** Writes into the timeline what an event says. The same in the agent and in a console that knows events only. */
export function writeEvent(book: TimelineBook, event: AgentEvent): void {
  if (writeEngineEvent(book, event) || writeTakeoverEvent(book, event)) return
  const at = event.time
  switch (event.type) {
    case 'agent_started':
      // Deploys are taken up again by the next agent; the rest ended with the one that did it.
      book.endRunning(at, 'The agent ended meanwhile.')
      book.put(machine(event, 'Agent started', { tone: 'up', detail: `Version ${event.agentVersion}` }))
      break
    case 'agent_stopping':
      book.put(machine(event, 'Agent is stopping', { detail: event.reason }))
      break
    case 'health': {
      const tone = event.status === 'ok' ? 'up' : event.status === 'degraded' ? 'unknown' : 'broken'
      book.put(machine(event, `Health is ${event.status}`, { tone, detail: event.reason }))
      break
    }
    case 'browser_state':
      writeBrowserState(book, event)
      break
    case 'desktop_state':
      writeDesktopState(book, event)
      break
    case 'page_navigated':
      writeNavigation(book, event)
      break
    case 'page_error':
      book.put(
        entry({
          ...{ key: `page:${event.troubleId}`, kind: 'page', at: event.firstAt, count: event.count },
          what: event.source === 'rest' ? 'more-errors' : event.source === 'crash' ? 'page-crash' : 'console-error',
          tone: 'broken',
          title: pageErrorTitle(event.text),
          detail: [redactPageText(event.text, 2000), place(event.url, event.line)].filter(Boolean).join('\n'),
        }),
      )
      break
    case 'request_failed': {
      const address = redactAddress(event.url)
      book.put(
        entry({
          ...{ key: `network:${event.troubleId}`, kind: 'network', at: event.firstAt, count: event.count },
          what: event.source === 'rest' ? 'more-requests' : 'failed-request',
          tone: 'broken',
          title: event.source === 'rest' ? (event.error ?? 'More requests failed') : failedRequestTitle(event),
          detail: event.source === 'rest' ? '' : [address, event.error].filter(Boolean).join('\n'),
        }),
      )
      break
    }
    case 'worker':
      writeWorker(book, event)
      break
    case 'deploy_step':
    case 'deploy_finished':
      writeDeploy(book, event)
      break
    case 'moment_pictured':
      book.amend({ key: event.key }, { picture: event.picture })
      break
  }
}

/** The moment of an event of which a picture is worth taking; null for all others. */
export function pictureMoment(event: AgentEvent): string | null {
  switch (event.type) {
    case 'engine_operation':
      return event.attempt.result === 'success' || event.attempt.result === 'taken_over' ? null : operationKey(event)
    case 'cascade_escalation':
      return momentKey('escalation', event)
    case 'takeover_request':
      return event.change === 'raised' ? `request:${event.request.id}` : null
    case 'takeover_lease':
      return event.change === 'taken' && event.lease !== null ? `lease:${event.lease.takenAt}` : null
    case 'human_takeover':
      return event.change === 'ended' ? momentKey('handed-back', event) : null
    case 'job_step':
      return event.state === 'failed' ? `job:${event.jobId}:${event.step}` : null
    case 'browser_state':
      return event.state === 'failed' ? momentKey('browser-failed', event) : null
    case 'page_error':
      return event.source === 'crash' ? `page:${event.troubleId}` : null
    default:
      return null
  }
}

export function momentKey(what: string, event: { seq: number; time: string }): string {
  return `${what}:${event.time}:${event.seq}`
}

export function operationKey({ runId, attempt }: Extract<AgentEvent, { type: 'engine_operation' }>): string {
  return `operation:${runId}:${attempt.level}:${attempt.attempt}:${attempt.startedAt}`
}

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>

function machine(event: AgentEvent, title: string, more: Partial<Omit<TimelineEntry, 'kind'>>): TimelineEntry {
  return entry({ key: momentKey('machine', event), kind: 'machine', what: event.type, at: event.time, title, ...more })
}

function writeBrowserState(book: TimelineBook, event: Of<'browser_state'>): void {
  const { state, reason, time } = event
  const open = book.find({ latest: 'browser', running: true })
  if (state === 'starting' || (state === 'active' && open === undefined)) {
    // Its pages do things before it is said to run: the span begins with the start.
    const more = state === 'starting' ? ({ tone: 'unknown', title: 'Browser is starting' } as const) : runs(event)
    book.put(
      entry({ key: momentKey('browser', event), kind: 'browser', what: 'browser', at: time, running: true, ...more }),
    )
    return
  }
  if (state === 'active') {
    if (reason === 'started') return book.amend({ key: open?.key ?? '' }, runs(event))
    const title = 'A part of the browser was started again'
    const key = momentKey('browser', event)
    book.put(entry({ key, kind: 'browser', what: 'browser-mended', at: time, tone: 'unknown', title, detail: reason }))
    return
  }
  if (open !== undefined)
    book.amend(open, { running: false, until: time, detail: joined(open.detail, `Ended: ${reason}.`) })
  if (state !== 'failed') return
  const key = momentKey('browser-failed', event)
  const title = 'The browser failed'
  book.put(entry({ key, kind: 'browser', what: 'browser-failed', at: time, tone: 'broken', title, detail: reason }))
}

function runs({ url }: Of<'browser_state'>) {
  return { tone: 'up', title: 'Browser runs', detail: redactAddress(url ?? '') } as const
}

/** A display without a browser: from its start to its end, however that came. */
function writeDesktopState(book: TimelineBook, event: Of<'desktop_state'>): void {
  const { state, reason, time } = event
  const open = book.find({ latest: 'desktop', running: true })
  if (state === 'active' && open === undefined) {
    const more = { at: time, running: true, tone: 'up', title: 'Desktop runs' } as const
    book.put(entry({ key: momentKey('desktop', event), kind: 'browser', what: 'desktop', ...more }))
  }
  if (state === 'starting' || state === 'active' || state === 'stopping') return
  if (open !== undefined)
    book.amend(open, { running: false, until: time, detail: joined(open.detail, `Ended: ${reason}.`) })
  if (state !== 'failed') return
  const more = { at: time, tone: 'broken', title: 'The desktop failed', detail: reason } as const
  book.put(entry({ key: momentKey('desktop-failed', event), kind: 'browser', what: 'desktop-failed', ...more }))
}

/** A page changes its title as often as it likes: only another address is something new. */
function writeNavigation(book: TimelineBook, event: Of<'page_navigated'>): void {
  if (!event.active) return
  const url = redactAddress(event.url)
  const title = event.title === '' ? url : redactPageText(event.title, 200)
  const last = book.find({ latest: 'navigation' })
  if (last?.detail === url) return book.amend(last, { title })
  book.put(
    entry({
      key: momentKey('navigation', event),
      kind: 'browser',
      what: 'navigation',
      at: event.time,
      title,
      detail: url,
    }),
  )
}

const workerTones: Record<string, TimelineEntry['tone']> = {
  busy: 'engine',
  idle: 'up',
  draining: 'unknown',
  running: 'unknown',
}

function writeWorker(book: TimelineBook, event: Of<'worker'>): void {
  const { worker, change } = event
  const busy = worker.activeJobs === 1 ? 'has 1 job' : `has ${worker.activeJobs} jobs`
  book.put(
    entry({
      ...{ key: momentKey('worker', event), kind: 'workers', what: 'worker', at: event.time },
      tone: change === 'removed' ? 'off' : (workerTones[worker.status] ?? 'off'),
      title: `${worker.workerId} ${change === 'jobs' ? busy : changeWords(change)}`,
      detail: [worker.image, worker.currentJob === null ? '' : `job ${worker.currentJob}`].filter(Boolean).join(', '),
    }),
  )
}

function changeWords(change: string): string {
  if (change === 'appeared') return 'appeared'
  if (change === 'removed') return 'is gone'
  return change === 'replaced' ? 'was replaced' : `is ${change}`
}

const deployTones: Record<string, TimelineEntry['tone']> = { completed: 'up', cancelled: 'off' }

function writeDeploy(book: TimelineBook, event: Of<'deploy_step'> | Of<'deploy_finished'>): void {
  const key = `deploy:${event.deployId}`
  const found = book.find({ key })
  const known =
    found ??
    entry({
      ...{ key, kind: 'deploys', what: 'deploy', at: event.time, running: true },
      title: `Deploy of ${event.imageTag}`,
      source: { type: 'deploy', id: String(event.deployId) },
    })
  if (event.type === 'deploy_step')
    return book.put({ ...known, running: true, until: null, detail: `${event.step}: ${event.message}` })
  const tone = deployTones[event.status] ?? 'broken'
  const title = `Deploy of ${event.imageTag} ${event.status.replace('_', ' ')}`
  book.put({ ...known, running: false, until: event.time, tone, title, detail: event.message })
}

function place(url: string | null, line: number | null): string {
  if (url === null) return ''
  return `${redactAddress(url)}${line === null ? '' : `:${line}`}`
}
