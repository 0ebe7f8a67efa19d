import { useEffect } from 'react'
import { create } from 'zustand'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent, onIpcEvent } from '../../app/bridge.ts'

export type DesktopView = CallResult<'desktop.status'>

/** Desktops of machines, as far as somebody looked; a machine whose agent has none is not in it. */
const useDesktops = create<{ known: Readonly<Record<string, DesktopView>> }>(() => ({ known: {} }))

const asked = new Map<string, number>()

/** Only the last answer counts: a desktop that starts says several things in a row. */
async function ask(machineId: string): Promise<void> {
  const turn = (asked.get(machineId) ?? 0) + 1
  asked.set(machineId, turn)
  const status = await callAgent(machineId, 'desktop.status', {}).catch(() => null)
  if (asked.get(machineId) !== turn) return
  useDesktops.setState(({ known: { [machineId]: _before, ...known } }) => ({
    known: status === null ? known : { ...known, [machineId]: status },
  }))
}

/** Follows the desktops of all machines; returns the way to stop. */
export function startDesktops(): () => void {
  return onIpcEvent('agent.event', ({ machineId, event }) => {
    if (event.type === 'desktop_state') void ask(machineId)
  })
}

export function desktopOf(machineId: string): DesktopView | null {
  return useDesktops.getState().known[machineId] ?? null
}

/** The machine's desktop; null where none can be had: an older agent, a machine that does not answer. */
export function useDesktop({ id, state, knownFrom, browser }: MachineView): DesktopView | null {
  const reachable = state === 'running' && knownFrom !== 'cache'
  const browserState = browser?.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: a browser that came or went may have missed events with it
  useEffect(() => {
    if (reachable) void ask(id)
  }, [id, reachable, browserState])
  const known = useDesktops((store) => store.known[id])
  return reachable ? (known ?? null) : null
}
