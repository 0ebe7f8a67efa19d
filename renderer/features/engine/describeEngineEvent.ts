import type { SwitchRecord } from '../../../shared/contract/engines.ts'
import { formatDuration } from '../../ui/time.ts'
import type { Tone } from '../../ui/tone.ts'
import type { SeenEvent } from '../live/timeline.store.ts'
import { driverTitle } from './engine.store.ts'

interface Driver {
  engine: string
  mode: string | null
}

/** What engines and calls for help are about, in words; null for what another event tells better. */
export function describeEngineEvent(event: SeenEvent): { tone: Tone; title: string; detail: string } | null {
  const text = (key: string) => (typeof event[key] === 'string' ? (event[key] as string) : '')
  const number = (key: string) => (typeof event[key] === 'number' ? (event[key] as number) : null)
  const driver = { engine: text('engine'), mode: text('mode') || null }
  switch (event.type) {
    case 'engine_connected':
      return {
        tone: 'engine',
        title: `${driverTitle(driver)} connected`,
        detail: formatDuration(number('durationMs') ?? 0),
      }
    case 'engine_disconnected':
      return { tone: 'off', title: `${driverTitle(driver)} left`, detail: text('reason') }
    case 'engine_switch':
      return switched(event['record'] as SwitchRecord | undefined)
    case 'engine_failure':
      return { tone: 'broken', title: `${driverTitle(driver)} failed`, detail: text('detail') }
    case 'engine_operation':
      return operation(event['attempt'] as (Driver & { result: string; durationMs: number }) | undefined, text('kind'))
    case 'cascade_escalation':
      return {
        tone: 'unknown',
        title: `Next: ${driverTitle((event['to'] as Driver | undefined) ?? 'none')}`,
        // The agent's word for the rule stands before it.
        detail: text('reason').replace(/^[a-z_]+: /, ''),
      }
    case 'takeover_request':
      return requested(text('change'), event['request'] as { reason?: string; assignedTo?: string | null } | undefined)
    default:
      return null
  }
}

function switched(record: SwitchRecord | undefined) {
  if (record === undefined) return null
  const took = formatDuration(record.durationMs)
  return record.success
    ? { tone: 'engine' as const, title: `Switched to ${driverTitle(record.to)}`, detail: `${took} · ${record.detail}` }
    : { tone: 'broken' as const, title: `The switch to ${driverTitle(record.to)} failed`, detail: record.detail }
}

/** Failures have an event of their own, with the reason. */
function operation(attempt: (Driver & { result: string; durationMs: number }) | undefined, kind: string) {
  if (attempt?.result !== 'success' || attempt.engine === 'human') return null
  return {
    tone: 'engine' as const,
    title: `${driverTitle(attempt)}: ${kind} done`,
    detail: formatDuration(attempt.durationMs),
  }
}

function requested(change: string, request: { reason?: string; assignedTo?: string | null } | undefined) {
  const detail = request?.reason ?? ''
  const titles: Record<string, string> = {
    raised: 'A person is wanted',
    declined: 'Help was declined',
    handed_on: `Handed on to ${request?.assignedTo ?? 'someone'}`,
    timed_out: 'Nobody came in time',
    cancelled: 'No longer wanted',
  }
  const title = titles[change]
  if (title === undefined) return null
  return {
    tone: change === 'raised' || change === 'handed_on' ? ('person' as const) : ('unknown' as const),
    title,
    detail,
  }
}
