import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'
import { formatDuration } from '../../ui/time.ts'
import { askEngine, driverTitle } from './engine.store.ts'

export const switchKey = (machine: Pick<MachineView, 'id'>) => `engine:${machine.id}`

export interface Choice {
  to: 'stagehand' | 'magnitude'
  mode?: 'dom' | 'cua'
}

/** What can be switched to. */
export const choices = {
  'stagehand/dom': 'Stagehand dom: reads the page',
  'stagehand/cua': 'Stagehand cua: sees the screen',
  magnitude: 'Magnitude: sees the screen',
} as const
export type ChoiceName = keyof typeof choices

export function choiceOf(name: ChoiceName): Choice {
  if (name === 'magnitude') return { to: 'magnitude' }
  return { to: 'stagehand', mode: name === 'stagehand/dom' ? 'dom' : 'cua' }
}

/** Changes the engine; the page goes on as it is. */
export function switchEngine(machine: MachineView, name: ChoiceName, reason: string): Promise<boolean> {
  return work(switchKey(machine), 'The switch', async () => {
    const record = await callAgent(machine.id, 'engine.switch', { ...choiceOf(name), reason })
    toast({
      title: `${driverTitle(record.to)} drives ${machine.name}`,
      detail: `The switch took ${formatDuration(record.durationMs)}.`,
      id: switchKey(machine),
    })
    await askEngine(machine.id)
  })
}

export async function releaseEngine(machine: MachineView, force: boolean): Promise<void> {
  const release = () =>
    work(switchKey(machine), 'The release', async () => {
      const { released, cancelled } = await callAgent(machine.id, 'engine.release', { force })
      const waited =
        cancelled === 0 ? '' : ` ${cancelled} waiting ${cancelled === 1 ? 'change was' : 'changes were'} cancelled.`
      toast({
        title: released ? `The engine of ${machine.name} is released` : `No engine was connected to ${machine.name}`,
        detail: waited.trim(),
        id: switchKey(machine),
      })
      await askEngine(machine.id)
    })
  if (!force) await release()
  else
    confirm({
      title: `Release the engine of ${machine.name} by force?`,
      text: 'Its connection is cut at once, the operation that runs fails, and changes that wait are cancelled. The page stays as it is.',
      action: 'Release by force',
      run: release,
    })
}
