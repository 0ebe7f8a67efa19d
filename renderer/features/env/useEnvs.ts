import { useEffect, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { call, callAgent, problemOf } from '../../app/bridge.ts'
import { isReachable } from '../machine/reach.ts'
import type { EnvOf } from './drift.ts'

export type EnvAnswer =
  | { phase: 'asking' }
  | { phase: 'known'; env: EnvOf; at: string }
  | { phase: 'unknown'; problem: WireProblem | null }

/** The variables of several machines: asked for where they can be, as last known where not. */
export function useEnvs(machines: readonly MachineView[]): Readonly<Record<string, EnvAnswer>> {
  const [answers, setAnswers] = useState<Readonly<Record<string, EnvAnswer>>>({})
  const wanted = machines.map((machine) => `${machine.id} ${isReachable(machine) ? 'live' : 'kept'}`).join('\n')
  useEffect(() => {
    let over = false
    const settle = (id: string, answer: EnvAnswer) => {
      if (!over) setAnswers((now) => ({ ...now, [id]: answer }))
    }
    for (const line of wanted.split('\n').filter(Boolean)) {
      const [id = '', how] = line.split(' ')
      setAnswers((now) => ({ ...now, [id]: now[id] ?? { phase: 'asking' } }))
      void ask(id, how === 'live').then((answer) => settle(id, answer))
    }
    return () => {
      over = true
    }
  }, [wanted])
  return answers
}

async function ask(machineId: string, live: boolean): Promise<EnvAnswer> {
  try {
    if (live) {
      const env = await callAgent(machineId, 'env.get', {})
      return { phase: 'known', env: { ...env, machineId, live: true }, at: new Date().toISOString() }
    }
    const kept = await call('known.get', { machineId, call: 'env.get' })
    if (kept === null) return { phase: 'unknown', problem: null }
    const env = kept.value as CallResult<'env.get'>
    return { phase: 'known', env: { ...env, machineId, live: false }, at: kept.at }
  } catch (error) {
    return { phase: 'unknown', problem: problemOf(error) }
  }
}
