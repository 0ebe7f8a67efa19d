import type { Diagnostics } from '../shared/ipc-power.ts'
import { type Clock, isoTime } from './clock.ts'
import type { Fleet } from './fleet/fleet.ts'
import type { Store } from './store/store.ts'

export interface DiagnosticsDeps {
  fleet: Fleet
  store: Pick<Store, 'machines' | 'audit'>
  streams: { readonly count: number }
  versions: Record<string, string>
  clock: Clock
}

const hourMs = 60 * 60_000

/** How this console is doing, in figures and as one text. No machine is named in it: it is made to be sent. */
export function diagnose({ fleet, store, streams, versions, clock }: DiagnosticsDeps): Diagnostics {
  const sandboxes: Record<string, number> = {}
  let openTunnels = 0
  for (const machine of fleet.machines()) {
    const { state } = machine.record
    sandboxes[state] = (sandboxes[state] ?? 0) + 1
    if (machine.connected) openTunnels++
  }
  const { counts, reconciliation } = fleet
  const figures: Omit<Diagnostics, 'text'> = {
    sandboxes,
    transitionsLastHour: store.machines.transitionsSince(new Date(clock.now() - hourMs).toISOString()),
    verifications: { total: counts.verifications, failed: counts.failedVerifications },
    reconciliation: {
      rounds: reconciliation.rounds,
      corrections: reconciliation.corrections,
      last: reconciliation.last ?? null,
    },
    eventLatencyMs: counts.eventLatencyMs,
    events: counts.events,
    openTunnels,
    openStreams: streams.count,
    audit: store.audit.head,
    versions,
  }
  return { ...figures, text: asText(figures, isoTime(clock)) }
}

function asText(found: Omit<Diagnostics, 'text'>, at: string): string {
  const {
    verifications: { total, failed },
    reconciliation,
    eventLatencyMs: latency,
  } = found
  const share = total === 0 ? '' : ` (${((failed / total) * 100).toFixed(1)} %)`
  const { last } = reconciliation
  const states = Object.entries(found.sandboxes).map(([state, count]) => `${state} ${count}`)
  return [
    `Pilothouse diagnostics, ${at}`,
    `Sandboxes: ${states.join(', ') || 'none'}`,
    `Transitions in the last hour: ${found.transitionsLastHour}`,
    `Verifications: ${total}, failed ${failed}${share}`,
    `Reconciliations: ${reconciliation.rounds}, corrections ${reconciliation.corrections}${last === null ? '' : `; last ${last.at}: checked ${last.checked}, corrected ${last.corrected}, failed ${last.failed}`}`,
    `Events: ${found.events}${latency === null ? '' : `, latency p50 ${Math.round(latency.p50)} ms, p95 ${Math.round(latency.p95)} ms`}`,
    `Open tunnels: ${found.openTunnels}; open streams: ${found.openStreams}`,
    `Console audit: ${found.audit.entries} links, head ${found.audit.head.slice(0, 16)}`,
    ...Object.entries(found.versions).map(([name, version]) => `${name}: ${version}`),
  ].join('\n')
}
