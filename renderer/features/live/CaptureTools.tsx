import { Camera, Circle, Square } from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { aimAt } from '../../app/target.ts'
import { useBusy, work } from '../../app/work.ts'
import { useNow } from '../../ui/clock.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/Toast.tsx'
import { formatLeft } from '../../ui/time.ts'
import { formatBytes } from '../inspector/capture/capture.ts'
import { openPanel } from '../inspector/inspector.store.ts'
import { filmLength } from '../inspector/recordings/recordings.ts'
import type { LiveClient } from './client.ts'
import styles from './live.module.css'
import type { RunningRecording } from './useRecording.ts'

interface CaptureToolsProps {
  machine: MachineView
  client: LiveClient
  display: boolean
  running: RunningRecording
}

/** A picture of what is shown now, and a film of what will be. */
export function CaptureTools({ machine, client, display, running }: CaptureToolsProps) {
  const saving = useBusy(`screenshot:${machine.id}`)
  const changing = useBusy(`record:${machine.id}`)
  const able = display && machine.capabilities['recording']?.available !== false
  const { recording, ask } = running
  const save = () =>
    work(`screenshot:${machine.id}`, 'The screenshot', async () => {
      const file = await client.saveScreenshot(display ? 'display' : 'page')
      if (file !== null) toast({ title: 'Screenshot saved', detail: file, id: `screenshot:${machine.id}` })
    })
  const record = () =>
    work(`record:${machine.id}`, recording === null ? 'Recording' : 'Ending the recording', async () => {
      if (recording === null) {
        // Also after a refusal: then it is another than the one shown that runs, or none.
        await client.page('desktop.startRecording', {}).finally(ask)
        return
      }
      const done = await client.page('desktop.stopRecording', {}).finally(ask)
      const detail = `${filmLength(done)} min, ${formatBytes(done.sizeBytes)}. It is kept on ${machine.name}.`
      const watch = () => {
        aimAt({ tab: 'recordings', machineId: machine.id, id: done.id })
        openPanel(machine.id, 'recordings')
      }
      const action = { label: 'Watch it', run: watch }
      toast({ title: 'Recording ended', detail, id: `record:${machine.id}`, action })
    })
  return (
    <>
      <IconButton
        label="Save a screenshot"
        icon={<Camera size={15} aria-hidden />}
        busy={saving}
        data-testid="live-screenshot"
        onClick={() => void save()}
      />
      {able && (
        <IconButton
          label={recording === null ? 'Record the display' : 'Stop recording'}
          icon={
            recording === null ? <Circle size={15} aria-hidden /> : <Square size={13} fill="currentColor" aria-hidden />
          }
          busy={changing}
          data-testid="live-record"
          data-recording={recording === null ? undefined : ''}
          className={styles.record}
          onClick={() => void record()}
        />
      )}
      {recording !== null && <Elapsed since={recording.startedAt} />}
    </>
  )
}

function Elapsed({ since }: { since: string }) {
  const ms = Math.max(0, useNow() - Date.parse(since))
  return (
    <span className={styles.recording} data-testid="recording">
      {formatLeft(ms)}
    </span>
  )
}
