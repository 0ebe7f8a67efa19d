import type { AgentEvent } from '../shared/contract/index.ts'
import type { NotificationChoices } from '../shared/ipc.ts'
import type { Clock } from './clock.ts'
import { machineOf, machinePlace } from './places.ts'
import { plainText } from './plain-text.ts'
import type { Transition } from './store/machines.ts'

export type NoticeKind = Exclude<keyof NotificationChoices, 'sound'>

/** Something a person may want to know while they look elsewhere. */
export interface Notice {
  machineId: string
  machineName: string
  text: string
  /** Where a press on it leads. */
  place: string
}

export interface ShownNotification {
  title: string
  body: string
  silent: boolean
  place: string
}

export interface NotificationsDeps {
  choices: () => NotificationChoices
  show: (notification: ShownNotification) => unknown
  /** What the window with the focus shows; null while another program has the focus. */
  focusedPlace: () => string | null
  clock: Clock
}

/** What comes within this time is told together. */
const gatherMs = 1000
/** At most one of a kind in this time: a network that comes and goes must not ring a hundred times. */
const quietMs = 10_000
/** An agent tells its old events again after a drop; nobody wants to be called for what is over. */
const staleMs = 5 * 60_000
const namesShown = 3

const wholes: Record<NoticeKind, { one: string; many: (count: number) => string; place: string }> = {
  takeovers: { one: 'A person is wanted', many: (count) => `${count} takeovers are wanted`, place: '#/takeovers' },
  deploys: { one: 'A deploy failed', many: (count) => `${count} deploys failed`, place: '#/deploys' },
  lost: { one: 'A machine is lost', many: (count) => `${count} machines are lost`, place: '#/fleet' },
}

/** Decides what the system tells a person, by their choice: bundled, never about what they are looking at. */
export class Notifications {
  readonly #deps: NotificationsDeps
  readonly #waiting = new Map<NoticeKind, Notice[]>()
  readonly #cancels = new Map<NoticeKind, () => void>()
  readonly #toldAt = new Map<NoticeKind, number>()

  constructor(deps: NotificationsDeps) {
    this.#deps = deps
  }

  notify(kind: NoticeKind, notice: Notice): void {
    if (!this.#deps.choices()[kind]) return
    this.#waiting.set(kind, [...(this.#waiting.get(kind) ?? []), notice])
    if (this.#cancels.has(kind)) return
    const { clock } = this.#deps
    const since = clock.now() - (this.#toldAt.get(kind) ?? Number.NEGATIVE_INFINITY)
    // A clock that was set back meanwhile must not keep anyone waiting for hours.
    const wait = since < 0 ? gatherMs : Math.max(gatherMs, quietMs - since)
    this.#cancels.set(
      kind,
      clock.after(wait, () => this.#tell(kind)),
    )
  }

  /** What an agent reports, as far as it concerns anyone; calls for a person come from `TakeoverCalls`. */
  heard(machine: { id: string; name: string }, event: AgentEvent, ageMs: number): void {
    if (ageMs > staleMs) return
    if (event.type === 'deploy_finished' && (event.status === 'failed' || event.status === 'rolled_back'))
      this.notify('deploys', {
        ...{ machineId: machine.id, machineName: machine.name },
        text: `${event.imageTag}: ${event.message}`,
        place: machinePlace(machine.id, 'deploys'),
      })
  }

  /** A machine that ran and is no longer there. */
  changed(machine: { id: string; name: string }, { from, to, reason }: Transition): void {
    if (from !== 'running' || (to !== 'unknown' && to !== 'killed' && to !== 'expired')) return
    const notice = { machineId: machine.id, machineName: machine.name, text: reason, place: machinePlace(machine.id) }
    this.notify('lost', notice)
  }

  stop(): void {
    for (const cancel of this.#cancels.values()) cancel()
    this.#cancels.clear()
    this.#waiting.clear()
  }

  #tell(kind: NoticeKind): void {
    this.#cancels.delete(kind)
    const waiting = this.#waiting.get(kind) ?? []
    this.#waiting.delete(kind)
    const { choices, focusedPlace, show, clock } = this.#deps
    const place = focusedPlace()
    // Asked now: in the second since, the person may have opened it.
    const looking = place === null ? null : machineOf(place)
    const news = place === wholes[kind].place ? [] : waiting.filter(({ machineId }) => machineId !== looking)
    if (news.length === 0 || !choices()[kind]) return
    this.#toldAt.set(kind, clock.now())
    show({ ...textOf(kind, news), silent: !choices().sound })
  }
}

function textOf(kind: NoticeKind, news: readonly Notice[]): Omit<ShownNotification, 'silent'> {
  const machines = [...new Map(news.map((notice) => [notice.machineId, notice])).values()]
  const [first] = machines
  const { one, many, place } = wholes[kind]
  if (first !== undefined && machines.length === 1)
    return {
      title: `${one}: ${plainText(first.machineName, 60)}`,
      body: plainText(first.text, 160),
      place: first.place,
    }
  const names = machines.slice(0, namesShown).map(({ machineName }) => plainText(machineName, 40))
  const rest = machines.length - names.length
  return { title: many(machines.length), body: `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`, place }
}
