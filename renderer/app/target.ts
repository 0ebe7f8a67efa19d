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

/** What that tab of that machine is to show, told once; null when it is opened for itself. */
export function takeTarget<Tab extends Target['tab']>(
  tab: Tab,
  machineId: string,
): Extract<Target, { tab: Tab }> | null {
  const found = aimed
  if (found === null || found.tab !== tab || found.machineId !== machineId) return null
  aimed = null
  return found as Extract<Target, { tab: Tab }>
}
