import type { DriverView } from '../../shared/contract/attempts.ts'
import type { PastTakeover } from '../../shared/contract/takeover.ts'
import type { BrowserService } from '../browser/browser.service.ts'
import type { Handlers } from '../server/handlers.ts'
import type { LeaseService } from './lease.service.ts'
import type { TakeoverRequests } from './requests.service.ts'
import type { Takeovers } from './takeover.service.ts'
import type { Viewers } from './viewers.ts'

type TakeoverCall =
  | 'takeover.get'
  | 'takeover.take'
  | 'takeover.renew'
  | 'takeover.handBack'
  | 'takeover.requests'
  | 'takeover.accept'
  | 'takeover.decline'
  | 'takeover.handOn'
  | 'takeover.history'

export interface TakeoverParts {
  browser: BrowserService
  leases: LeaseService
  viewers: Viewers
  requests: TakeoverRequests
  takeovers: Takeovers
  history: (operator: string | undefined, limit: number) => PastTakeover[]
  jobId: () => string | null
  /** The engine that is connected. */
  driver: () => DriverView | null
}

export function takeoverRoutes(parts: TakeoverParts): Pick<Handlers, TakeoverCall> {
  const { browser, leases, viewers, requests, takeovers } = parts
  return {
    'takeover.get': () => {
      const { session } = browser
      const [page] = session === null ? [] : browser.pages(session)
      return {
        // The VNC server takes nobody but the agent: the screen is reached through /ws/vnc.
        novncUrl: null,
        vncPort: null,
        websockifyPort: null,
        activeSession: session === null ? null : { jobId: parts.jobId(), pageUrl: page?.url ?? null },
        lease: leases.current,
        viewers: viewers.count,
        watching: viewers.watching,
        driver: parts.driver(),
        openRequests: requests.openCount,
      }
    },
    'takeover.take': (params, context) => {
      context.note({ operator: params.operator, reason: params.reason, ttlMs: params.ttlMs })
      return takeovers.take(params)
    },
    'takeover.renew': ({ leaseId }, context) => {
      const lease = leases.renew(leaseId)
      context.note({ renewed: true, operator: lease.operator, expiresAt: lease.expiresAt })
      return lease
    },
    'takeover.handBack': async (params, context) => {
      const { leaseId, handBackTo, mode, outcome, note } = params
      context.note({ handBackTo, outcome, note })
      const to =
        handBackTo === 'none' ? null : { engine: handBackTo, mode: handBackTo === 'stagehand' ? (mode ?? 'dom') : null }
      const given = await takeovers.handBack(leaseId, to, { outcome, note })
      context.note(given)
      return { ok: true, handedBackTo: handBackTo, heldMs: given.heldMs, toActingMs: given.toActingMs }
    },
    'takeover.requests': () => ({ requests: requests.list() }),
    'takeover.accept': ({ id, operator, ttlMs }, context) => {
      const { reason } = requests.requireOpen(id)
      context.note({ change: 'accepted', requestId: id, operator, reason })
      return takeovers.take({ operator, reason, ttlMs }, id)
    },
    'takeover.decline': ({ id, reason }, context) => {
      context.note({ change: 'declined', requestId: id, reason })
      return requests.decline(id, reason, context.operator)
    },
    'takeover.handOn': ({ id, to }, context) => {
      context.note({ change: 'handed_on', requestId: id, to })
      return requests.handOn(id, to)
    },
    'takeover.history': ({ operator, limit }) => ({ takeovers: parts.history(operator, limit) }),
  }
}
