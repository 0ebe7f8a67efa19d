import os from 'node:os'
import { contractVersion, sockets } from '../../shared/contract/index.ts'
import { createOpenApi } from '../../shared/contract/openapi.ts'
import { Problem } from '../../shared/errors.ts'
import type { HealthService } from '../health/health.service.ts'
import type { MetricsHistory } from '../metrics/history.ts'
import type { MetricsService } from '../metrics/metrics.service.ts'
import { type Counter, openMetrics } from '../metrics/open-metrics.ts'
import { preferredType } from '../server/accepts.ts'
import { type Handlers, Reply } from '../server/handlers.ts'
import { findSocket } from '../server/routes.ts'
import type { Tickets } from '../server/tickets.ts'
import type { MachineParts } from './capabilities.ts'

type Names =
  | 'machine.health'
  | 'machine.version'
  | 'machine.metrics'
  | 'machine.metricsHistory'
  | 'machine.status'
  | 'machine.openapi'
  | 'tickets.create'

export interface MachineRouteParts {
  agentId: string
  machineType: string
  metrics: MetricsService
  history: MetricsHistory
  tickets: Tickets
  /** Cached for a few seconds by its owner. */
  inspect: () => Promise<MachineParts>
  health: HealthService
  /** The tag of the image that is deployed; null where none is. */
  deployedTag: () => string | null
  counters: () => Counter[]
  gauges: () => Counter[]
}

export function machineRoutes(parts: MachineRouteParts): Pick<Handlers, Names> {
  let description: ReturnType<typeof createOpenApi> | undefined
  return {
    'machine.health': () => parts.health.health(),
    'machine.version': async () => ({
      agentVersion: contractVersion,
      ghosthandsVersion: parts.deployedTag(),
      dockerVersion: (await parts.inspect()).docker?.version ?? null,
      os: process.platform,
      arch: process.arch,
    }),
    'machine.metrics': async (_params, context) => {
      const load = await parts.metrics.read()
      const type = preferredType(context.headers['accept'], [
        ...(['application/json', 'application/openmetrics-text', 'text/plain'] as const),
      ])
      if (type === 'application/json') return load
      const version = type === 'text/plain' ? '0.0.4' : '1.0.0'
      const text = openMetrics(load, parts.counters(), parts.gauges(), version)
      return new Reply(`${type}; version=${version}; charset=utf-8`, text)
    },
    'machine.metricsHistory': (asked) => parts.history.read(asked),
    'machine.status': async () => {
      const [{ docker, capabilities }, found] = await Promise.all([parts.inspect(), parts.health.snapshot()])
      return {
        agentId: parts.agentId,
        agentVersion: contractVersion,
        machineType: parts.machineType,
        hostname: os.hostname(),
        os: { platform: process.platform, release: os.release(), arch: process.arch },
        docker: docker ?? null,
        workers: found.workers.length,
        uptime: Math.round(os.uptime()),
        health: { status: found.health.status, reason: found.reasons.join(' ') },
        capabilities,
      }
    },
    'machine.openapi': () => {
      description ??= createOpenApi()
      return description
    },
    'tickets.create': ({ scope }) => {
      if (findSocket(scope) === undefined) {
        throw new Problem(
          'invalid-params',
          `"${scope}" is not a socket path. There are: ${sockets.map((s) => s.path).join(', ')}.`,
        )
      }
      const { ticket, expiresAt } = parts.tickets.issue(scope)
      return { ticket, scope, expiresAt: expiresAt.toISOString() }
    },
  }
}
