import { useCallback, useEffect, useRef, useState } from 'react'
import type { CallParams, CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import type { KeptCall } from '../../../shared/ipc-machine.ts'
import { call, callAgent, onIpcEvent, problemOf } from '../../app/bridge.ts'
import { isReachable } from './reach.ts'

export interface Known<Value> {
  /** Null until something is known at all. */
  value: Value | null
  /** When the machine said so. */
  at: string | null
  from: 'machine' | 'cache'
  /** Nothing is shown yet, and it is being asked for. */
  loading: boolean
  asking: boolean
  problem: WireProblem | null
  reload: () => Promise<void>
}

interface KnownOptions {
  /** Asks again when the machine reports one of these. */
  events?: readonly string[]
  /** Asks again this often while it is looked at, for what the machine does not report. */
  everyMs?: number
}

type State<Value> = Omit<Known<Value>, 'reload' | 'loading'>

/** What a machine answers to a call; while it cannot be asked, what it last answered, with its age. */
export function useKnown<Name extends KeptCall>(
  machine: MachineView,
  name: Name,
  params: CallParams<Name>,
  { events = [], everyMs }: KnownOptions = {},
): Known<CallResult<Name>> {
  type Value = CallResult<Name>
  const machineId = machine.id
  const reachable = isReachable(machine)
  const asked = JSON.stringify(params)
  const turn = useRef(0)
  const [state, setState] = useState<State<Value>>({
    value: null,
    at: null,
    from: 'cache',
    asking: true,
    problem: null,
  })

  // The parameters are made anew at each drawing; what they say is what counts.
  const load = useCallback(async () => {
    const mine = ++turn.current
    const isLatest = () => turn.current === mine
    setState((now) => ({ ...now, asking: true }))
    if (!reachable) {
      const kept = await call('known.get', { machineId, call: name }).catch(() => null)
      if (!isLatest()) return
      setState((now) =>
        kept === null || (now.at !== null && now.at >= kept.at)
          ? { ...now, from: 'cache', asking: false }
          : { value: kept.value as Value, at: kept.at, from: 'cache', asking: false, problem: null },
      )
      return
    }
    try {
      const value = await callAgent(machineId, name, JSON.parse(asked) as CallParams<Name>)
      if (isLatest()) setState({ value, at: new Date().toISOString(), from: 'machine', asking: false, problem: null })
    } catch (error) {
      if (isLatest()) setState((now) => ({ ...now, asking: false, problem: problemOf(error) }))
    }
  }, [machineId, name, asked, reachable])

  useEffect(() => {
    void load()
    return () => {
      // An answer that is under way is nobody's any more.
      turn.current++
    }
  }, [load])

  const wanted = events.join(' ')
  useEffect(() => {
    if (wanted === '') return
    const types = wanted.split(' ')
    return onIpcEvent('agent.event', (heard) => {
      if (heard.machineId === machineId && types.includes(heard.event.type)) void load()
    })
  }, [machineId, wanted, load])

  useEffect(() => {
    if (everyMs === undefined || !reachable) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void load()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, reachable, load])

  return { ...state, loading: state.asking && state.value === null, reload: load }
}
