import type { PanelProps } from '../panels.tsx'
import { useSnapshot } from '../sessions.ts'

/** What the page writes to its console. */
export function ConsolePanel({ session }: PanelProps) {
  const { tab } = useSnapshot(session)
  return <p>{tab?.title}</p>
}
