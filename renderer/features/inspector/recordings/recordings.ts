import type { CallResult } from '../../../../shared/contract/index.ts'
import type { MachineView } from '../../../../shared/domain/machine.ts'
import { formatLeft } from '../../../ui/time.ts'
import type { DesktopView } from '../../desktop/desktop.store.ts'

export type Recording = CallResult<'desktop.listRecordings'>['recordings'][number]

/** Why the display cannot be recorded now; undefined when it can. */
export function whyNotRecord({ browser, capabilities }: MachineView, desktop: DesktopView | null): string | undefined {
  const able = capabilities['recording']
  if (able?.available === false) return able.detail
  if (browser?.state === 'active') return browser.liveView === 'vnc' ? undefined : 'this browser has no display'
  return desktop?.state === 'active' ? undefined : 'there is no browser and no desktop to record'
}

/** How long a film is, as a player shows it. */
export function filmLength({ durationMs }: Pick<Recording, 'durationMs'>): string {
  // Rounded down: a countdown's clock would add a second that is not there.
  return formatLeft(Math.floor(durationMs / 1000) * 1000)
}

/** The word for why it ended, where that is worth a word. */
export function endText({ state, endedBy }: Recording): string {
  if (state === 'recording') return 'Recording'
  if (state === 'failed') return 'Failed'
  return endedBy === null || endedBy === 'request' || endedBy === 'stopped' ? 'Done' : `Done: ${endedBy}`
}
