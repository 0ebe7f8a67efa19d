import { useCallback, useEffect, useRef, useState } from 'react'
import type { CallParams, CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { KeptCall } from '../../../shared/ipc-machine.ts'
import { call, callAgent, onIpcEvent, problemOf } from '../../app/bridge.ts'
import type { ShownProblem } from '../../ui/ErrorText.tsx'
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
  problem: ShownProblem | null
  reload: () => Promise<void>
  /** Nobody waits for the answer that is under way any more. */
  giveUp: () => void
}

interface KnownOptions {
  /** Asks again when the machine reports one of these. */
  events?: readonly string[]
  /** Asks again this often while it is looked at, for what the machine does not report. */
  everyMs?: number
}

type State<Value> = Omit<Known<Value>, 'reload' | 'loading' | 'giveUp'>

/** A machine that takes longer than this to answer is shown as it was last known, until it does. */
const patienceMs = 1000

/** Said where someone stopped waiting for an answer. */
export const givenUp: ShownProblem = {
  title: 'Nobody waits for the answer any more',
  detail: 'The machine had not answered yet. Ask it again, or check its health.',
  code: 'cancelled',
}

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
    const meanwhile = setTimeout(async () => {
      const kept = await call('known.get', { machineId, call: name }).catch(() => null)
      if (kept === null || !isLatest()) return
      setState((now) =>
        now.asking && now.value === null ? { ...now, value: kept.value as Value, at: kept.at, from: 'cache' } : now,
      )
    }, patienceMs)
    try {
      const value = await callAgent(machineId, name, JSON.parse(asked) as CallParams<Name>)
      if (isLatest()) setState({ value, at: new Date().toISOString(), from: 'machine', asking: false, problem: null })
    } catch (error) {
      if (isLatest()) setState((now) => ({ ...now, asking: false, problem: problemOf(error) }))
    } finally {
      clearTimeout(meanwhile)
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

  const giveUp = useCallback(() => {
    turn.current++
    setState((now) => ({ ...now, asking: false, problem: givenUp }))
  }, [])

  return { ...state, loading: state.asking && state.value === null, reload: load, giveUp }
}
