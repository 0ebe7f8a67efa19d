import { useEffect, useState } from 'react'

/** What a tab or a panel is to show when it is opened from elsewhere: an entry of the audit, a time in the logs… */
export type Target =
  | { tab: 'audit'; machineId: string; id: string; at: string }
  | { tab: 'deploys'; machineId: string; id: string }
  | { tab: 'logs'; machineId: string; time: number }
  /** A message or a request, as the timeline names it. */
  | { tab: 'console'; machineId: string; at: number; title: string }
  | { tab: 'network'; machineId: string; at: number; title: string }
  | { tab: 'recordings'; machineId: string; id: string }

let aimed: Target | null = null

/** Said before going there. */
export function aimAt(target: Target): void {
  aimed = target
}

/**
 * What that tab of that machine is to show; null when it is opened for itself. It is forgotten when the tab stands: what
 * is drawn may be thrown away and drawn anew before that.
 */
export function useTarget<Tab extends Target['tab']>(
  tab: Tab,
  machineId: string,
): Extract<Target, { tab: Tab }> | null {
  const [target] = useState(() =>
    aimed !== null && aimed.tab === tab && aimed.machineId === machineId
      ? (aimed as Extract<Target, { tab: Tab }>)
      : null,
  )
  useEffect(() => {
    if (aimed === target) aimed = null
  }, [target])
  return target
}
