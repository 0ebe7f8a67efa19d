import { useEffect } from 'react'
import { create } from 'zustand'
import type { CallResult } from '../../../shared/contract/index.ts'
import { callAgent, onIpcEvent } from '../../app/bridge.ts'
import { useMachine } from '../fleet/fleet.store.ts'
import { driverTitle } from './driver-title.ts'

export { driverOf, driverTitle } from './driver-title.ts'

export type EngineState = CallResult<'engine.get'>
export type EngineConfig = CallResult<'engine.config'>

/** Which engine would come first on each platform, as the machine says. */
export type Firsts = Readonly<Record<string, string>>

interface Known {
  state: EngineState | null
  config: EngineConfig | null
  firsts: Firsts
}

/** Who drives each browser that is looked at, as its machine last said. */
export const useEngines = create<{ known: Readonly<Record<string, Known>> }>(() => ({ known: {} }))

const none: Firsts = {}
const nothing: Known = { state: null, config: null, firsts: none }
/** What changes who drives, or how far the cascade is. */
const news = /^(engine_|cascade_|human_takeover|takeover_lease|takeover_request|browser_state)/
/** The machines of which something is shown, and how often. */
const shown = new Map<string, number>()
const asking = new Set<string>()
const again = new Set<string>()

function keep(machineId: string, changed: Partial<Known>): void {
  useEngines.setState(({ known }) => ({
    known: { ...known, [machineId]: { ...(known[machineId] ?? nothing), ...changed } },
  }))
}

/** Asks the machine; what happens meanwhile is asked about once more, not once each. */
export async function askEngine(machineId: string): Promise<void> {
  if (asking.has(machineId)) {
    again.add(machineId)
    return
  }
  asking.add(machineId)
  try {
    keep(machineId, { state: await callAgent(machineId, 'engine.get', {}) })
  } catch {
    // The panels of the page say what is wrong with the machine.
    keep(machineId, { state: null })
  } finally {
    asking.delete(machineId)
  }
  if (again.delete(machineId)) await askEngine(machineId)
}

export async function askConfig(machineId: string): Promise<void> {
  keep(machineId, { config: await callAgent(machineId, 'engine.config', {}).catch(() => null) })
  const stats = await callAgent(machineId, 'engine.stats', {}).catch(() => null)
  if (stats !== null) setFirsts(machineId, stats)
}

export function setFirsts(machineId: string, { orders }: Pick<CallResult<'engine.stats'>, 'orders'>): void {
  keep(machineId, { firsts: Object.fromEntries(orders.map(({ platform, first }) => [platform, first])) })
}

export function setConfig(machineId: string, config: EngineConfig): void {
  keep(machineId, { config })
}

/** Follows what machines say of their engines; returns the way to stop. */
export function startEngines(): () => void {
  return onIpcEvent('agent.event', ({ machineId, event }) => {
    if (shown.has(machineId) && news.test(event.type)) void askEngine(machineId)
  })
}

/** Who drives the browser of a machine that runs; null while that is not known. */
export function useEngine(machineId: string): EngineState | null {
  useFollowing(machineId)
  return useEngines(({ known }) => known[machineId]?.state ?? null)
}

export function useEngineConfig(machineId: string): EngineConfig | null {
  useFollowing(machineId)
  return useEngines(({ known }) => known[machineId]?.config ?? null)
}

/** Who comes first on which platform there. */
export function useFirsts(machineId: string): Firsts {
  useFollowing(machineId)
  return useEngines(({ known }) => known[machineId]?.firsts ?? none)
}

function useFollowing(machineId: string): void {
  const machine = useMachine(machineId)
  const reachable = machine?.state === 'running' && machine.knownFrom === 'machine'
  useEffect(() => {
    if (!reachable) return
    const first = !shown.has(machineId)
    shown.set(machineId, (shown.get(machineId) ?? 0) + 1)
    if (first) {
      void askEngine(machineId)
      void askConfig(machineId)
    }
    return () => {
      const left = (shown.get(machineId) ?? 1) - 1
      if (left === 0) shown.delete(machineId)
      else shown.set(machineId, left)
    }
  }, [machineId, reachable])
}

/** Who drives while no person does, in a few words. */
export function describeDriver(state: EngineState | null): string {
  if (state === null || state.engine === 'none' || state.engine === 'human') return 'nobody is driving'
  return `${driverTitle(state)} is driving`
}
