import { useEffect, useState } from 'react'
import type { IpcResult } from '../../../shared/ipc.ts'
import { call, onIpcEvent, problemOf } from '../../app/bridge.ts'
import type { ShownProblem } from '../../ui/ErrorText.tsx'

/** More machines than this are looked at only when someone asks. */
const byItself = 40
/** Typing settles first. */
const calmMs = 350

export type PlanLook =
  | { phase: 'offered' }
  | { phase: 'looking'; looked: number }
  | ({ phase: 'looked' } & IpcResult<'deploys.plan'>)
  | { phase: 'failed'; problem: ShownProblem }

/** Looks at the machines; the returned function ends it, and nothing is told after that. */
export function lookAtAll(
  wish: { planId: string; machineIds: string[]; maxUnavailable: number },
  tell: (look: PlanLook) => void,
): () => void {
  const { planId } = wish
  let isUnderWay = true
  const stopListening = onIpcEvent('deploys.planning', (news) => {
    if (isUnderWay && news.planId === planId) tell({ phase: 'looking', looked: news.looked })
  })
  const end = (look: PlanLook) => {
    stopListening()
    if (isUnderWay) tell(look)
    isUnderWay = false
  }
  call('deploys.plan', wish).then(
    (answer) => end({ phase: 'looked', ...answer }),
    (error) => end({ phase: 'failed', problem: problemOf(error) }),
  )
  return () => {
    stopListening()
    // Main would go on with it, and a thousand machines with it.
    if (isUnderWay) void stopLooking(planId)
    isUnderWay = false
  }
}

const stopLooking = (planId: string) => call('deploys.stopPlan', { planId })

/** What a deploy to these machines would meet: looked at anew whenever they change, and only as long as it is wanted. */
export function usePlan(machineIds: readonly string[], maxUnavailable: number) {
  const key = `${machineIds.join()} ${maxUnavailable}`
  /** Of which choice someone asked for a look, and how often. */
  const [asked, setAsked] = useState({ key: '', times: 0 })
  const times = asked.key === key ? asked.times : 0
  const wanted = machineIds.length > 0 && (machineIds.length <= byItself || times > 0)
  const [told, setTold] = useState<{ key: string; times: number; planId: string; look: PlanLook } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for both
  useEffect(() => {
    if (!wanted) return
    const planId = crypto.randomUUID()
    const tell = (look: PlanLook) => setTold({ key, times, planId, look })
    let stop = () => {}
    const timer = setTimeout(() => {
      tell({ phase: 'looking', looked: 0 })
      stop = lookAtAll({ planId, machineIds: [...machineIds], maxUnavailable }, tell)
    }, calmMs)
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [key, wanted, times])
  const current = told?.key === key && told.times === times ? told : null
  const look: PlanLook = !wanted ? { phase: 'offered' } : (current?.look ?? { phase: 'looking', looked: 0 })
  return {
    look,
    lookNow: () => setAsked({ key, times: times + 1 }),
    /** What was found until then is shown. */
    stop: () => void (current !== null && stopLooking(current.planId)),
  }
}
