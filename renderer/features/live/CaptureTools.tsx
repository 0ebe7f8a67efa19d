import { Camera, Circle, Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy, work } from '../../app/work.ts'
import { useNow } from '../../ui/clock.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/Toast.tsx'
import { formatLeft } from '../../ui/time.ts'
import type { LiveClient } from './client.ts'
import styles from './live.module.css'

type Recording = CallResult<'desktop.startRecording'>

interface CaptureToolsProps {
  machine: MachineView
  client: LiveClient
  display: boolean
}

/** A picture of what is shown now, and a film of what will be. */
export function CaptureTools({ machine, client, display }: CaptureToolsProps) {
  const saving = useBusy(`screenshot:${machine.id}`)
  const changing = useBusy(`record:${machine.id}`)
  const { recording, setRecording } = useRecording(client, display)
  const able = display && machine.capabilities['recording']?.available !== false
  const save = () =>
    work(`screenshot:${machine.id}`, 'The screenshot', async () => {
      const file = await client.saveScreenshot(display ? 'display' : 'page')
      if (file !== null) toast({ title: 'Screenshot saved', detail: file, id: `screenshot:${machine.id}` })
    })
  const record = () =>
    work(`record:${machine.id}`, recording === null ? 'Recording' : 'Ending the recording', async () => {
      if (recording === null) {
        setRecording(await client.page('desktop.startRecording', {}))
        return
      }
      const done = await client.page('desktop.stopRecording', {})
      setRecording(null)
      const seconds = Math.round(done.durationMs / 1000)
      const detail = `${seconds} s, ${Math.max(1, Math.round(done.sizeBytes / 1024))} KB. It is kept on ${machine.name}.`
      toast({ title: 'Recording ended', detail, id: `record:${machine.id}` })
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

/** The recording that runs, whoever started it. */
function useRecording(client: LiveClient, display: boolean) {
  const [recording, setRecording] = useState<Recording | null>(null)
  useEffect(() => {
    if (!display) return
    let gone = false
    client.page('desktop.listRecordings', {}).then(
      ({ recordings }) => !gone && setRecording(recordings.find(({ state }) => state === 'recording') ?? null),
      () => {},
    )
    return () => {
      gone = true
    }
  }, [client, display])
  return { recording, setRecording }
}
