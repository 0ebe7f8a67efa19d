import type { AgentEvent } from '../../contract/index.ts'
import { redactPageText } from '../redaction.ts'
import { entry, joined, type TimelineBook } from './book.ts'
import { momentKey, operationKey } from './from-event.ts'
import { shifted } from './shifted.ts'

/** What engines and jobs did; false when the event is not about them. */
export function writeEngineEvent(book: TimelineBook, event: AgentEvent): boolean {
  const at = event.time
  switch (event.type) {
    case 'engine_connected':
      book.put(
        entry({
          ...{ key: momentKey('engine', event), kind: 'engine', what: 'engine', at, tone: 'engine', running: true },
          title: `${begun(driver(event))} is connected`,
          detail: `Connected within ${Math.round(event.durationMs)} ms.`,
        }),
      )
      return true
    case 'engine_disconnected': {
      const open = book.find({ latest: 'engine', running: true })
      const detail = joined(open?.detail ?? '', `Ended: ${event.reason}.`)
      book.amend({ latest: 'engine', running: true }, { running: false, until: at, detail })
      return true
    }
    case 'engine_switch':
      writeSwitch(book, event)
      return true
    case 'engine_operation':
      writeOperation(book, event)
      return true
    case 'cascade_escalation':
      book.put(
        entry({
          ...{ key: momentKey('escalation', event), kind: 'engine', what: 'escalation', at },
          tone: event.to.engine === 'human' ? 'person' : 'engine',
          title: `Escalated from ${driver(event.from)} to ${driver(event.to)}`,
          detail: redactPageText(event.reason, 1000),
        }),
      )
      return true
    case 'job_step':
      writeJobStep(book, event)
      return true
    case 'job_ended':
      book.put(
        entry({
          ...{ key: `job:${event.jobId}:ended`, kind: 'engine', what: 'job', at },
          tone: event.state === 'succeeded' ? 'up' : 'broken',
          title: `Job ${event.state}`,
          detail: redactPageText(event.error ?? '', 1000),
          source: { type: 'job', id: event.jobId },
        }),
      )
      return true
    case 'engine_failure':
    case 'engine_switch_recovery':
      // The operation that failed, and the switch that follows, say the same with their times.
      return true
    default:
      return false
  }
}

export function driver({ engine, mode }: { engine: string; mode: string | null }): string {
  const name = engine === 'human' ? 'a person' : engine === 'none' ? 'nobody' : begun(engine)
  return mode === null ? name : `${name} ${mode}`
}

/** As a sentence begins, and as a name is written. */
function begun(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function writeSwitch(book: TimelineBook, { record }: Extract<AgentEvent, { type: 'engine_switch' }>): void {
  const { from, to, durationMs, steps, success } = record
  const failed = steps.find((step) => step.result === 'failed')
  book.put(
    entry({
      ...{ key: `switch:${record.id}`, kind: 'engine', what: 'switch', until: record.time },
      at: shifted(record.time, -durationMs),
      tone: success ? 'engine' : 'broken',
      title: `${success ? 'Switched' : 'Could not switch'} from ${driver(from)} to ${driver(to)}`,
      detail: [
        redactPageText(`${record.reason}. ${record.detail}`, 1000),
        steps.map(({ step, ms }) => `${step} ${Math.round(ms)} ms`).join(', '),
        failed?.detail === undefined ? '' : redactPageText(`${failed.step}: ${failed.detail}`, 500),
      ]
        .filter(Boolean)
        .join('\n'),
    }),
  )
}

const results: Record<string, string> = {
  success: 'succeeded',
  timed_out: 'timed out',
  not_confident: 'was not confident',
  not_connected: 'could not connect',
  taken_over: 'was taken over',
}

function writeOperation(book: TimelineBook, event: Extract<AgentEvent, { type: 'engine_operation' }>): void {
  const { attempt, kind, platform } = event
  const { result, confidence } = attempt
  const fine = result === 'success' || result === 'taken_over'
  const sure = confidence === null ? '' : `Confidence ${Math.round(confidence * 100)} %.`
  book.put(
    entry({
      ...{ key: operationKey(event), kind: 'engine', what: 'operation', at: attempt.startedAt },
      until: shifted(attempt.startedAt, attempt.durationMs),
      tone: !fine ? 'broken' : attempt.engine === 'human' || result === 'taken_over' ? 'person' : 'engine',
      title: `${begun(driver(attempt))}: ${kind} ${results[result] ?? result}`,
      detail: [
        `Level ${attempt.level}, try ${attempt.attempt}, ${platform}. ${sure}`.trim(),
        redactPageText(attempt.detail, 1000),
      ]
        .filter(Boolean)
        .join('\n'),
    }),
  )
}

function writeJobStep(book: TimelineBook, event: Extract<AgentEvent, { type: 'job_step' }>): void {
  const { jobId, step, state, time } = event
  if (state === 'pending') return
  const key = `job:${jobId}:${step}`
  const known = book.find({ key })
  const running = state === 'running'
  book.put(
    entry({
      ...{ key, kind: 'engine', what: 'job-step', at: known?.at ?? time, running },
      until: running || known === undefined ? null : time,
      tone: state === 'failed' ? 'broken' : state === 'skipped' ? 'off' : 'engine',
      title: `Job: ${step.replace('-', ' ')}${running ? '' : ` ${state}`}`,
      detail: redactPageText(event.detail, 1000),
      source: { type: 'job', id: jobId },
    }),
  )
}
