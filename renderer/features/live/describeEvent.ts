import type { Tone } from '../../ui/tone.ts'
import { describeEngineEvent } from '../engine/describeEngineEvent.ts'
import type { SeenEvent } from './timeline.store.ts'

export interface Happening {
  tone: Tone
  title: string
  detail: string
}

/** An event in words; null for what changes too often to be told. */
export function describeEvent(event: SeenEvent, operator: string): Happening | null {
  const text = (key: string) => (typeof event[key] === 'string' ? (event[key] as string) : '')
  switch (event.type) {
    case 'agent_started':
      return { tone: 'up', title: 'Agent started', detail: text('agentVersion') }
    case 'agent_stopping':
      return { tone: 'off', title: 'Agent is stopping', detail: text('reason') }
    case 'health':
      return {
        tone: text('status') === 'ok' ? 'up' : 'broken',
        title: text('status') === 'ok' ? 'Healthy again' : `Health: ${text('status')}`,
        detail: text('reason'),
      }
    case 'browser_state':
      return displayHappening('Browser', text('state'), text('reason') || text('url'))
    case 'desktop_state':
      return displayHappening('Desktop', text('state'), text('reason'))
    case 'sandbox_active':
      return { tone: 'up', title: 'Sandbox is active', detail: text('sandboxId') }
    case 'sandbox_terminated':
      return { tone: 'broken', title: 'Sandbox ended', detail: text('reason') }
    case 'engine_connected':
    case 'engine_disconnected':
    case 'engine_switch':
    case 'engine_failure':
    case 'engine_operation':
    case 'cascade_escalation':
    case 'takeover_request':
    case 'human_takeover':
      return describeEngineEvent(event)
    case 'takeover_lease':
      return leaseHappening(text('change'), event['lease'], operator)
    default:
      return null
  }
}

function displayHappening(what: 'Browser' | 'Desktop', state: string, detail: string): Happening {
  const known: Record<string, Omit<Happening, 'detail'>> = {
    active: { tone: 'up', title: `${what} started` },
    starting: { tone: 'engine', title: `${what} is starting` },
    stopping: { tone: 'off', title: `${what} is stopping` },
    inactive: { tone: 'off', title: `${what} stopped` },
    failed: { tone: 'broken', title: `${what} failed` },
    install_required: { tone: 'unknown', title: 'A program is missing' },
  }
  return { tone: 'off', title: `${what}: ${state}`, ...known[state], detail }
}

function leaseHappening(change: string, lease: unknown, operator: string): Happening | null {
  const holder = (lease as { operator?: unknown } | null)?.operator
  const who = typeof holder !== 'string' ? null : holder === operator ? 'You' : holder
  const reason = (lease as { reason?: unknown } | null)?.reason
  const detail = typeof reason === 'string' ? reason : ''
  if (change === 'taken') return { tone: 'person', title: `${who ?? 'Someone'} took over`, detail }
  if (change === 'handed_back')
    return { tone: 'up', title: who === null ? 'Control was given back' : `${who} gave it back`, detail: '' }
  if (change === 'ended') return { tone: 'broken', title: 'Control ended with the browser', detail: who ?? '' }
  if (change === 'expired') return { tone: 'unknown', title: 'Control ran out', detail: who ?? '' }
  return null
}
