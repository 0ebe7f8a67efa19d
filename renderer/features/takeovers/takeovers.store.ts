import { create } from 'zustand'
import type { TakeoverRequest } from '../../../shared/contract/takeover.ts'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { IpcResult } from '../../../shared/ipc.ts'
import { useApp } from '../../app/app.store.ts'
import { call, callAgent, onIpcEvent } from '../../app/bridge.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import { askEach } from './askEach.ts'
import { playTone } from './tone.ts'

export interface Wanted extends TakeoverRequest {
  machineId: string
  /** When it runs out, by this computer's clock. */
  until: number
}

export type OwnTakeover = IpcResult<'takeover.own'>['takeovers'][number]

interface TakeoversState {
  /** What each machine last said, by machine. */
  requests: Readonly<Record<string, readonly Wanted[]>>
  /** This operator's own, over all machines, the newest first; null before it was looked at. */
  history: readonly OwnTakeover[] | null
}

/** Who is wanted where, on all machines. */
export const useTakeovers = create<TakeoversState>(() => ({ requests: {}, history: null }))

/** A thousand machines are not asked at once. */
const atOnce = 8
const asked = new Set<string>()

function wanted(machineId: string, request: TakeoverRequest, now: number): Wanted {
  return { ...request, machineId, until: now + request.leftMs }
}

async function ask(machineId: string): Promise<void> {
  try {
    const { requests } = await callAgent(machineId, 'takeover.requests', {})
    const now = Date.now()
    useTakeovers.setState((state) => ({
      requests: { ...state.requests, [machineId]: requests.map((request) => wanted(machineId, request, now)) },
    }))
  } catch {
    // Asked again when the machine is heard again; until then nothing is known to be wanted there.
    asked.delete(machineId)
  }
}

/** The requests of a machine after one more word of it; the picture is kept, since events carry none. */
export function applyRequest(
  known: readonly Wanted[],
  machineId: string,
  request: Omit<TakeoverRequest, 'picture'>,
  now: number,
): readonly Wanted[] {
  const before = known.find(({ id }) => id === request.id)
  const picture = request.state === 'open' || request.state === 'accepted' ? (before?.picture ?? null) : null
  const next = wanted(machineId, { ...request, picture }, now)
  return before === undefined ? [next, ...known] : known.map((one) => (one.id === next.id ? next : one))
}

/** The open ones, those that have waited longest first. */
export function openRequests(requests: TakeoversState['requests']): Wanted[] {
  return Object.values(requests)
    .flat()
    .filter(({ state }) => state === 'open')
    .sort((a, b) => Date.parse(a.raisedAt) - Date.parse(b.raisedAt))
}

export function overRequests(requests: TakeoversState['requests']): Wanted[] {
  return Object.values(requests)
    .flat()
    .filter(({ state }) => state !== 'open')
    .sort((a, b) => Date.parse(b.raisedAt) - Date.parse(a.raisedAt))
}

/** What this operator did: what main knows at once, then with what the machines that can be heard add to it. */
export async function loadHistory(): Promise<void> {
  await readHistory()
  await askHistory(Object.values(useFleet.getState().machines).filter(isUp))
}

/** Main keeps what machines answer to this. */
async function askHistory(machines: readonly { id: string }[]): Promise<void> {
  const operator = useApp.getState().info?.settings.operator
  if (operator === undefined) return
  await askEach(machines, atOnce, async ({ id }) => {
    await callAgent(id, 'takeover.history', { operator, limit: 50 })
  })
  await readHistory()
}

async function readHistory(): Promise<void> {
  const own = await call('takeover.own', {}).catch(() => null)
  if (own !== null) useTakeovers.setState({ history: own.takeovers })
}

/** Follows the requests of all machines; returns the way to stop. */
export function startTakeovers(): () => void {
  const look = () => {
    const { machines } = useFleet.getState()
    const known = Object.values(machines).filter((machine) => isUp(machine) && machine.knownFrom === 'machine')
    const fresh = known.filter(({ id }) => !asked.has(id))
    for (const { id } of fresh) asked.add(id)
    void askEach(fresh, atOnce, ({ id }) => ask(id))
    const here = new Set(known.map(({ id }) => id))
    // What a machine wanted is not known while it cannot be heard.
    const gone = [...asked].filter((id) => !here.has(id))
    if (gone.length === 0) return
    for (const id of gone) asked.delete(id)
    useTakeovers.setState(({ requests }) => ({
      requests: Object.fromEntries(Object.entries(requests).filter(([id]) => !gone.includes(id))),
    }))
  }
  look()
  const stopFleet = useFleet.subscribe(look)
  const stopEvents = onIpcEvent('agent.event', ({ machineId, event }) => {
    if (event.type === 'human_takeover' && event['change'] === 'ended' && useTakeovers.getState().history !== null)
      void askHistory([{ id: machineId }])
    if (event.type !== 'takeover_request') return
    const request = event['request'] as Omit<TakeoverRequest, 'picture'>
    useTakeovers.setState(({ requests }) => ({
      requests: {
        ...requests,
        [machineId]: applyRequest(requests[machineId] ?? [], machineId, request, Date.now()),
      },
    }))
    if (event['change'] !== 'raised' || request.state !== 'open') return
    // For the picture.
    void ask(machineId)
  })
  // Main knows whom it is for and whether it is still open, and says so to one window.
  const stopTone = onIpcEvent('takeover.tone', () => playTone())
  return () => {
    stopFleet()
    stopEvents()
    stopTone()
  }
}
