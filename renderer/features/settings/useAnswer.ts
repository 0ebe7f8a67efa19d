import { useCallback, useEffect, useState } from 'react'
import type { IpcName, IpcParams, IpcResult } from '../../../shared/ipc.ts'
import { call, problemOf } from '../../app/bridge.ts'
import type { ShownProblem } from '../../ui/ErrorText.tsx'

/** What main answers to a question without details, and the way to ask again. What was answered stays meanwhile. */
export function useAnswer<Name extends IpcName>(name: Name) {
  const [answer, setAnswer] = useState<IpcResult<Name> | null>(null)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const ask = useCallback(
    () =>
      call(name, {} as IpcParams<Name>).then(
        (value) => {
          setAnswer(value)
          setProblem(null)
        },
        (error) => setProblem(problemOf(error)),
      ),
    [name],
  )
  useEffect(() => void ask(), [ask])
  return { answer, setAnswer, problem, ask }
}
