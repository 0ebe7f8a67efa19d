import { useEffect } from 'react'
import type { MachineView } from '../../shared/domain/machine.ts'
import type { Route } from './route.ts'

/** What each screen is called, above it and by the system. */
export const screenTitles = {
  fleet: 'Fleet',
  takeovers: 'Takeovers',
  wall: 'Live wall',
  settings: 'Settings',
  audit: 'Audit',
  deploys: 'Deploys',
  diagnostics: 'Diagnostics',
  workers: 'Workers',
  logs: 'Logs',
} as const satisfies Record<Exclude<Route['screen'], 'machine'>, string>

export const unknownMachine = 'Unknown machine'

/** By this a window is told from others of the console: in the system's lists, and by screen readers. */
export function useWindowTitle(route: Route, machine: MachineView | undefined): void {
  const place = route.screen === 'machine' ? (machine?.name ?? unknownMachine) : screenTitles[route.screen]
  useEffect(() => {
    document.title = `${place} · Pilothouse`
  }, [place])
}
