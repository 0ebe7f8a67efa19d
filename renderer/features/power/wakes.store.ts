import { create } from 'zustand'
import type { IpcEventData } from '../../../shared/ipc.ts'
import { call, onIpcEvent } from '../../app/bridge.ts'

type WakeStep = IpcEventData<'wake.step'>['step']

export interface Wake {
  since: number
  step: WakeStep
}

/** The machines that are being woken, by whichever window asked for it. */
export const useWakes = create<{ wakes: Readonly<Record<string, Wake>> }>(() => ({ wakes: {} }))

export const useWaking = (machineId: string) => useWakes((state) => state.wakes[machineId] !== undefined)

/** The wakes after one more step of one of them; the last step ends it. */
export function afterStep(
  wakes: Readonly<Record<string, Wake>>,
  { machineId, step }: IpcEventData<'wake.step'>,
  now: number,
): Readonly<Record<string, Wake>> {
  if (step === 'done' || step === 'failed') {
    return Object.fromEntries(Object.entries(wakes).filter(([id]) => id !== machineId))
  }
  return { ...wakes, [machineId]: { since: wakes[machineId]?.since ?? now, step } }
}

/** Follows every wake, also those that began before this window; returns the way to stop. */
export function startWakes(): () => void {
  const heard = new Set<string>()
  const stop = onIpcEvent('wake.step', (told) => {
    heard.add(told.machineId)
    useWakes.setState(({ wakes }) => ({ wakes: afterStep(wakes, told, Date.now()) }))
  })
  void call('fleet.wakes', {}).then((active) => {
    // An event is newer than this answer.
    for (const { machineId, since, step } of active.filter((wake) => !heard.has(wake.machineId)))
      useWakes.setState(({ wakes }) => ({ wakes: { ...wakes, [machineId]: { since: Date.parse(since), step } } }))
  })
  return stop
}

/** Nobody waits any more; what was switched on stays on. */
export const stopWaiting = (machineId: string) => call('fleet.wakeCancel', { machineId })
