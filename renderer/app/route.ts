import { create } from 'zustand'

export const machineTabs = [
  'live',
  'inspector',
  'timeline',
  'overview',
  'terminal',
  'logs',
  'workers',
  'containers',
  'env',
  'deploys',
  'audit',
  'connection',
] as const
export type MachineTab = (typeof machineTabs)[number]

export const settingsSections = [
  'general',
  'credentials',
  'tunnels',
  'shortcuts',
  'notifications',
  'prices',
  'data',
  'about',
] as const
export type SettingsSection = (typeof settingsSections)[number]

export type Route =
  | { screen: 'fleet' }
  | { screen: 'takeovers' }
  | { screen: 'wall' }
  | { screen: 'settings'; section?: SettingsSection }
  | { screen: 'audit' }
  | { screen: 'workers' }
  | { screen: 'deploys' }
  | { screen: 'diagnostics' }
  /** Of these machines; of all when there are none. */
  | { screen: 'logs'; machineIds: readonly string[] }
  | { screen: 'machine'; machineId: string; tab: MachineTab }

export const plainScreens = ['takeovers', 'wall', 'audit', 'workers', 'deploys', 'diagnostics'] as const

/** The place a hash names; what it does not know is the fleet. */
export function parseRoute(hash: string): Route {
  const [screen, id, tab] = hash.replace(/^#?\/?/, '').split('/')
  const plain = plainScreens.find((name) => name === screen)
  if (plain !== undefined) return { screen: plain }
  if (screen === 'settings') {
    const section = settingsSections.find((name) => name === id)
    return section === undefined ? { screen } : { screen, section }
  }
  if (screen === 'logs') return { screen, machineIds: (id ?? '').split(',').filter(Boolean).map(decode) }
  if (screen === 'machine' && id !== undefined && id !== '') {
    const known = machineTabs.find((name) => name === tab)
    return { screen: 'machine', machineId: decode(id), tab: known ?? 'live' }
  }
  return { screen: 'fleet' }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function formatRoute(route: Route): string {
  if (route.screen === 'machine') return `#/machine/${encodeURIComponent(route.machineId)}/${route.tab}`
  if (route.screen === 'logs') return `#/logs/${route.machineIds.map(encodeURIComponent).join(',')}`
  if (route.screen === 'settings' && route.section !== undefined) return `#/settings/${route.section}`
  return `#/${route.screen}`
}

export const useRoute = create<{ route: Route }>(() => ({ route: { screen: 'fleet' } }))

/** Goes somewhere; the back button brings one back. */
export function go(route: Route): void {
  window.location.hash = formatRoute(route)
  useRoute.setState({ route })
}

/** Keeps the store and the address together; returns the way to stop. */
export function followHash(): () => void {
  const read = () => useRoute.setState({ route: parseRoute(window.location.hash) })
  read()
  window.addEventListener('hashchange', read)
  return () => window.removeEventListener('hashchange', read)
}
