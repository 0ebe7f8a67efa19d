import { agentGet } from './agent-get.ts'
import { agentIdle, agentOwn } from './agent-idle.ts'
import { agentStart } from './agent-start.ts'
import { agentWorkers } from './agent-workers.ts'
import { auditInsert } from './audit-insert.ts'
import type { Bench } from './bench.ts'
import { browserStart } from './browser-start.ts'
import { cdpBenches } from './cdp.ts'
import { consoleIdle } from './console-idle.ts'
import { consoleStart } from './console-start.ts'
import { fleetBenches } from './fleet.ts'
import { fleetLeap, fleetTable } from './fleet-table.ts'
import { liveBenches } from './live.ts'
import { liveWindowBenches } from './live-window.ts'
import { logsHistory } from './logs-history.ts'
import { logsBytes, logsLive, logsSocket } from './logs-live.ts'
import { logsSlow, logsSlowMinutes } from './logs-slow.ts'
import { logsViewBenches } from './logs-view.ts'
import { netemBenches } from './netem.ts'
import { storeLast50, storeOpen } from './store.ts'
import { takeoverBenches } from './takeover.ts'
import { terminalOutput } from './terminal.ts'
import { terminalViewBenches } from './terminal-view.ts'
import { timelineViewBenches } from './timeline-view.ts'
import { tunnelBenches } from './tunnel.ts'
import { tunnelFifty } from './tunnel-fifty.ts'

/** All there are: the specification's table in its order, then what works on a bad line. */
export const benches: readonly Bench[] = [
  ...liveBenches,
  ...liveWindowBenches,
  browserStart,
  ...cdpBenches,
  ...tunnelBenches,
  ...tunnelFifty,
  logsLive,
  logsBytes,
  logsSocket,
  logsHistory,
  logsSlow,
  logsSlowMinutes,
  ...logsViewBenches,
  terminalOutput,
  ...terminalViewBenches,
  ...timelineViewBenches,
  ...takeoverBenches,
  consoleStart,
  consoleIdle,
  agentStart,
  agentIdle,
  agentOwn,
  agentGet,
  ...agentWorkers,
  ...fleetBenches,
  fleetTable,
  fleetLeap,
  auditInsert,
  storeOpen,
  storeLast50,
  ...netemBenches,
]
