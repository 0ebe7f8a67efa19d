import { Problem } from '../../shared/errors.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Streams } from '../ipc/streams.ts'
import { bridge } from './bridge.ts'
import type { DevToolsRole } from './note.ts'
import { type DevToolsTarget, DevToolsWindow } from './window.ts'

export interface DevToolsWindowsDeps {
  preload: string
  fleet: Pick<Fleet, 'call' | 'client' | 'view' | 'has' | 'leases'>
  streams: Pick<Streams, 'hand'>
  operator: () => string
  /** Whether control that this console has ends soon. */
  leaseEnding: (machineId: string) => boolean
}

const most = 8

/** Every DevTools window of this console: one for each page, at the most. */
export class DevToolsWindows {
  readonly #deps: DevToolsWindowsDeps
  readonly #open = new Map<string, DevToolsWindow>()

  constructor(deps: DevToolsWindowsDeps) {
    this.#deps = deps
  }

  /** Opens the page that was named, or the one in front; one that is open already comes to the front. */
  async open(machineId: string, targetId: string | undefined): Promise<{ role: DevToolsRole }> {
    const target = await this.#find(machineId, targetId)
    if (target === undefined) throw new Problem('not-found', 'That page is not open any more. Choose another tab.')
    const key = `${machineId} ${target.id}`
    const there = this.#open.get(key)
    const role = () => this.#role(machineId)
    if (there !== undefined) there.focus()
    else {
      if (this.#open.size >= most)
        throw new Problem('too-many-requests', `${most} DevTools windows are open. Close one first.`)
      const { fleet, preload, streams, operator, leaseEnding } = this.#deps
      const window = new DevToolsWindow({
        ...{ preload, target, role },
        ending: () => leaseEnding(machineId),
        // That it could not be told is seen here: the line to the page is the same. An end is told by the lease itself.
        atWork: () => void fleet.leases.stillHere(machineId).catch(() => {}),
        machineName: () => (fleet.has(machineId) ? fleet.view(machineId).name : 'a machine that was removed'),
        connect: (as) => {
          const leaseId = as === 'controller' ? fleet.leases.leaseId(machineId) : undefined
          const name = `${operator()}: DevTools`.slice(0, 100)
          return fleet.client(machineId).open('cdpPage', { targetId: target.id, role: as, name, leaseId })
        },
        hand: (socket, caller, onEnd) =>
          void streams.hand(machineId, caller, (stream) => bridge(stream, socket, onEnd), true),
        find: () => this.#find(machineId, target.id),
        onClosed: () => this.#open.delete(key),
      })
      this.#open.set(key, window)
    }
    return { role: role() }
  }

  /** Control of the machine was taken here, ends soon, goes on or has ended. */
  leaseChanged(machineId: string): void {
    for (const [key, window] of this.#open) if (key.startsWith(`${machineId} `)) window.leaseChanged()
  }

  /** The machine is no longer this console's. */
  forget(machineId: string): void {
    for (const [key, window] of this.#open) if (key.startsWith(`${machineId} `)) window.close()
  }

  closeAll(): void {
    for (const window of this.#open.values()) window.close()
  }

  #role(machineId: string): DevToolsRole {
    return this.#deps.fleet.leases.leaseId(machineId) === undefined ? 'observer' : 'controller'
  }

  async #find(machineId: string, targetId: string | undefined): Promise<DevToolsTarget | undefined> {
    const targets = await this.#deps.fleet.call(machineId, 'cdp.list', {})
    const pages = targets.filter(({ type, url }) => type === 'page' && !url.startsWith('devtools:'))
    return targetId === undefined ? pages[0] : pages.find(({ id }) => id === targetId)
  }
}
