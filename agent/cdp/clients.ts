import { randomUUID } from 'node:crypto'
import type { CdpClient } from '../../shared/contract/cdp.ts'
import { Problem } from '../../shared/errors.ts'
import type { Link } from './link.ts'

/** Each costs two connections; nobody needs more eyes than this on one browser. */
const maxObservers = 32

interface Seat extends CdpClient {
  /** Sits here by right of the lease, beside the controller that waits for its end. */
  holdsLease: boolean
  link: Link | null
  cutTimer: NodeJS.Timeout | undefined
}

/** Who is connected to the browser: at most one controller, and observers. */
export class CdpClients {
  readonly #seats = new Map<string, Seat>()
  /** When one of them last asked a tab to go elsewhere. */
  #wentAt = Number.NEGATIVE_INFINITY

  list(): CdpClient[] {
    return [...this.#seats.values()].map(bare)
  }

  get links(): Link[] {
    return [...this.#seats.values()].flatMap(({ link }) => (link === null ? [] : [link]))
  }

  /** Takes a place before the connection is made, so that two controllers at the same moment cannot both have it. */
  take(client: Pick<CdpClient, 'role' | 'name' | 'peer' | 'targetId'>, holdsLease = false): Seat {
    // One that has said goodbye may be answered only after it has come again.
    const seats = [...this.#seats.values()].filter(({ link }) => link?.isLeaving !== true)
    const controller = seats.find((seat) => seat.role === 'controller' && !seat.holdsLease)
    if (client.role === 'controller' && !holdsLease && controller !== undefined) {
      throw new Problem(
        'controller-busy',
        `${controller.name} controls the browser since ${controller.connectedAt}. Connect with role=observer, or cut it with DELETE /v1/browser/cdp/clients/${controller.id}.`,
        { controller: controller.name, clientId: controller.id, since: controller.connectedAt },
      )
    }
    const isGuest = client.role !== 'controller' || holdsLease
    if (isGuest && seats.filter((seat) => seat.role !== 'controller' || seat.holdsLease).length >= maxObservers)
      throw new Problem('too-many-requests', `There are ${maxObservers} observers already. Close one of them first.`)
    const connectedAt = new Date().toISOString()
    const seat = { ...client, id: randomUUID(), connectedAt, refused: 0, holdsLease, link: null, cutTimer: undefined }
    this.#seats.set(seat.id, seat)
    return seat
  }

  /** One of them has asked a tab to go elsewhere. */
  going(): void {
    this.#wentAt = performance.now()
  }

  get wentAt(): number {
    return this.#wentAt
  }

  leave(id: string): void {
    clearTimeout(this.#seats.get(id)?.cutTimer)
    this.#seats.delete(id)
  }

  /** Tells a client to go, and cuts it when it has not gone after `graceMs`. */
  cut(id: string, reason: string, graceMs: number): CdpClient {
    const seat = this.#seats.get(id)
    if (seat === undefined) throw new Problem('not-found', 'No such client is connected. It may have left already.')
    seat.link?.tell(JSON.stringify({ method: 'Inspector.detached', params: { reason } }))
    const cut = () => seat.link?.close(1001, reason)
    clearTimeout(seat.cutTimer)
    if (graceMs === 0) cut()
    else seat.cutTimer = setTimeout(cut, graceMs)
    return bare(seat)
  }

  /** Whoever controlled by right of the lease does so no longer. */
  closeHolder(reason: string): void {
    for (const { holdsLease, link } of this.#seats.values()) if (holdsLease) link?.close(1001, reason)
  }

  closeAll(reason: string): void {
    for (const link of this.links) link.close(1001, reason)
  }
}

function bare({ link: _link, cutTimer: _timer, holdsLease: _holds, ...client }: Seat): CdpClient {
  return client
}
