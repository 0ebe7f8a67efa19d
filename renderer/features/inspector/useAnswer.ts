import { useCallback, useEffect, useRef, useState } from 'react'
import type { CallName, CallParams, CallResult } from '../../../shared/contract/index.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { callAgent, problemOf } from '../../app/bridge.ts'

export interface Answer<Value> {
  /** Null until the machine has answered once. */
  value: Value | null
  problem: WireProblem | null
  asking: boolean
  reload: () => Promise<void>
}

interface AnswerOptions {
  /** False while the machine cannot be asked. */
  when: boolean
  /** Asks again this often while it is looked at. */
  everyMs?: number
  /** Asks again when this changes. */
  again?: unknown
}

/** What a machine answers to a call that is not kept: it belongs to the browser that runs now. */
export function useAnswer<Name extends CallName>(
  machineId: string,
  name: Name,
  params: CallParams<Name>,
  { when, everyMs, again }: AnswerOptions,
): Answer<CallResult<Name>> {
  const asked = JSON.stringify(params)
  const turn = useRef(0)
  const [state, setState] = useState<Omit<Answer<CallResult<Name>>, 'reload'>>({
    value: null,
    problem: null,
    asking: when,
  })
  const reload = useCallback(async () => {
    const mine = ++turn.current
    setState((now) => ({ ...now, asking: true }))
    try {
      const value = await callAgent(machineId, name, JSON.parse(asked) as CallParams<Name>)
      if (turn.current === mine) setState({ value, problem: null, asking: false })
    } catch (error) {
      if (turn.current === mine) setState((now) => ({ ...now, problem: problemOf(error), asking: false }))
    }
  }, [machineId, name, asked])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` is only there to be noticed
  useEffect(() => {
    if (when) void reload()
    return () => {
      turn.current++
    }
  }, [when, reload, again])
  useEffect(() => {
    if (everyMs === undefined || !when) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, when, reload])
  return { ...state, reload }
}
