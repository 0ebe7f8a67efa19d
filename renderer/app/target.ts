import { useEffect, useState } from 'react'

/** What a tab is to show when it is opened from elsewhere: an entry of the audit, a deploy, a time in the logs. */
export type Target =
  | { tab: 'audit'; machineId: string; id: string; at: string }
  | { tab: 'deploys'; machineId: string; id: string }
  | { tab: 'logs'; machineId: string; time: number }

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
