import type { BrowserService } from '../browser/browser.service.ts'
import { noAnswer } from '../browser/cdp.ts'
import { readTargets, readVersion } from '../browser/devtools.ts'
import type { CallContext, Handlers, ProxiedStream, SocketHandlers } from '../server/handlers.ts'
import type { LeaseService } from '../takeover/lease.service.ts'
import { CdpClients } from './clients.ts'
import { ControllerLink } from './controller-link.ts'
import { type HeldInput, releaseHeld } from './held-input.ts'
import { ObserverLink } from './observer-link.ts'
import { relayUrl } from './relay-url.ts'
import { connectUpstream } from './upstream.ts'

export interface CdpParts {
  clients: CdpClients
  handlers: Pick<Handlers, 'cdp.version' | 'cdp.list' | 'cdp.clients' | 'cdp.cut'>
  sockets: Pick<SocketHandlers, 'cdp' | 'cdpPage'>
}

interface Attach {
  role: 'controller' | 'observer'
  name?: string | undefined
  leaseId?: string | undefined
  targetId?: string
}

/** How long a takeover waits for clicks that were on their way. A browser that hangs must not keep a person out. */
const inputDoneMs = 1000

/** The relay: Chromium's endpoint under the agent's own address, with the agent's own rules. */
export function createCdpParts(browser: BrowserService, leases: LeaseService): CdpParts {
  const clients = new CdpClients()
  browser.onEnd(() => clients.closeAll('the browser ended'))
  leases.onEnd(() => clients.closeHolder('the lease ended'))
  leases.onTaken(async () => {
    const links = clients.links.filter((link) => link instanceof ControllerLink)
    // Whoever is in control must not find the page gone elsewhere a moment later.
    const since = links.some((link) => link.isGoing) ? Number.POSITIVE_INFINITY : clients.wentAt
    void browser.session?.pages.stopGoing(since)
    const late = new Promise((resolve) => setTimeout(resolve, inputDoneMs).unref())
    const held = links.map((link) => link.takeHeldInput())
    await Promise.race([Promise.all(links.map((link) => link.inputDone())), late])
    // A page that hangs must not keep a person out either.
    await Promise.race([letGo(...held), late])
  })
  const letGo = (...held: HeldInput[]) => releaseHeld(browser.session?.pages.front ?? null, ...held)

  const attach = async (params: Attach, context: CallContext): Promise<(proxied: ProxiedStream) => void> => {
    const { devTools } = browser.requireSession()
    const { role, leaseId, targetId = null } = params
    const name = params.name ?? context.operator ?? `a client at ${context.peer}`
    const holdsLease = role === 'controller' && leaseId !== undefined
    if (holdsLease) leases.check(leaseId)
    const seat = clients.take({ role, name, peer: context.peer, targetId }, holdsLease)
    context.note({ role, name, clientId: seat.id })
    try {
      const path = targetId === null ? new URL(devTools.browserUrl).pathname : `/devtools/page/${targetId}`
      const upstream = await connectUpstream(devTools.port, path, context.headers['sec-websocket-key'])
      return ({ stream, head }) => {
        const hooks = {
          onClosed: () => {
            clients.leave(seat.id)
            if (link instanceof ControllerLink) void letGo(link.takeHeldInput())
          },
          onRefused: () => {
            seat.refused++
          },
          onGoing: () => clients.going(),
          operator: () => (leases.isHeldBy(leaseId) ? null : (leases.standing?.operator ?? null)),
        }
        const link: ObserverLink | ControllerLink =
          role === 'observer' ? new ObserverLink(stream, upstream, hooks) : new ControllerLink(stream, upstream, hooks)
        seat.link = link
        link.open(head, upstream)
        // It may have ended while Chromium was being asked.
        if (holdsLease && !leases.isHeldBy(leaseId)) link.close(1001, 'the lease ended')
      }
    } catch (error) {
      clients.leave(seat.id)
      throw error
    }
  }

  return {
    clients,
    sockets: { cdp: attach, cdpPage: attach },
    handlers: {
      'cdp.version': async (_params, context) => {
        const version = await read(readVersion(browser.requireSession().devTools.port))
        return { ...version, webSocketDebuggerUrl: relayUrl(context) }
      },
      'cdp.list': async (_params, context) => {
        const targets = await read(readTargets(browser.requireSession().devTools.port))
        // The address of Chromium's own inspector leads past the agent.
        return targets.map(({ devtoolsFrontendUrl: _dropped, ...target }) => ({
          ...target,
          webSocketDebuggerUrl: `${relayUrl(context)}/devtools/page/${target.id}`,
        }))
      },
      'cdp.clients': () => ({ clients: clients.list() }),
      'cdp.cut': ({ id, graceMs }, context) => {
        const who = context.operator ?? 'someone'
        const { name, role } = clients.cut(id, `${who} asked this client to leave`, graceMs)
        context.note({ name, role, cut: true })
        return { ok: true }
      },
    },
  }
}

async function read<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    throw noAnswer(error)
  }
}
