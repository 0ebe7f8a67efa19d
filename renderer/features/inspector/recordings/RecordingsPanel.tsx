import { Circle, Clapperboard, Play, Save, Square, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call, callAgent } from '../../../app/bridge.ts'
import { useTarget } from '../../../app/target.ts'
import { confirm } from '../../../app/ui.store.ts'
import { useBusy, work } from '../../../app/work.ts'
import { Age } from '../../../ui/Age.tsx'
import { StateBadge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Select } from '../../../ui/Select.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { useSort } from '../../../ui/useSort.ts'
import { useDesktop } from '../../desktop/desktop.store.ts'
import { isReachable } from '../../machine/reach.ts'
import { formatBytes } from '../capture/capture.ts'
import { LookAgain, PanelProblem } from '../PanelParts.tsx'
import type { PanelProps } from '../panels.tsx'
import { RowTools } from '../RowTools.tsx'
import tools from '../tools.module.css'
import { useAnswer } from '../useAnswer.ts'
import { Player } from './Player.tsx'
import styles from './Recordings.module.css'
import { endText, filmLength, type Recording, whyNotRecord } from './recordings.ts'

type Key = 'started' | 'length' | 'size' | 'picture' | 'state' | 'tools'
const sorts: Partial<Record<Key, (recording: Recording) => string | number>> = {
  started: ({ startedAt }) => startedAt,
  length: ({ durationMs }) => durationMs,
  size: ({ sizeBytes }) => sizeBytes,
  picture: ({ resolution, fps }) => `${resolution} ${fps}`,
  state: endText,
}
const rates = { '5': '5 fps', '15': '15 fps', '30': '30 fps', '60': '60 fps' } as const

/** Films of the display, which lie on the machine: made, played, saved and deleted here. */
export function RecordingsPanel({ machine }: PanelProps) {
  const answer = useAnswer(machine.id, 'desktop.listRecordings', {}, { when: isReachable(machine), everyMs: 5000 })
  const desktop = useDesktop(machine)
  const [fps, setFps] = useState<keyof typeof rates>('15')
  const [playing, setPlaying] = useState<Recording | null>(null)
  const aimed = useTarget('recordings', machine.id)?.id ?? null
  const known = answer.value?.recordings
  const [sought, setSought] = useState<'yes' | 'found' | 'gone'>('yes')
  useEffect(() => {
    if (aimed === null || known === undefined || sought !== 'yes') return
    const film = known.find(({ id }) => id === aimed)
    if (film?.state === 'done') setPlaying(film)
    setSought(film === undefined ? 'gone' : 'found')
  }, [aimed, known, sought])
  const changing = useBusy(`record:${machine.id}`)
  const saving = useBusy(`recording:${machine.id}`)
  const recordings = known ?? []
  const { rows, sort, onSort } = useSort<Recording, Key>(recordings, sorts)
  const running = recordings.find(({ state }) => state === 'recording')
  const whyNot = running === undefined ? whyNotRecord(machine, desktop) : undefined
  const record = () =>
    work(`record:${machine.id}`, running === undefined ? 'Recording' : 'Ending the recording', async () => {
      if (running === undefined) await callAgent(machine.id, 'desktop.startRecording', { fps: Number(fps) })
      else await callAgent(machine.id, 'desktop.stopRecording', {})
      await answer.reload()
    })
  const save = ({ id }: Recording) =>
    work(`recording:${machine.id}`, 'Saving the recording', async () => {
      const { file, bytes } = await call('recording.save', { machineId: machine.id, recordingId: id })
      if (file !== null) toast({ title: `Recording saved, ${formatBytes(bytes)}`, detail: file, id: `saved:${id}` })
    })
  const remove = (recording: Recording) =>
    confirm({
      title: `Delete this recording of ${machine.name}?`,
      text: `${filmLength(recording)} min, ${formatBytes(recording.sizeBytes)}. It lies only on the machine: what was not saved is gone.`,
      action: 'Delete recording',
      run: () =>
        work(`recording:${machine.id}`, 'Deleting the recording', async () => {
          if (playing?.id === recording.id) setPlaying(null)
          await callAgent(machine.id, 'desktop.deleteRecording', { id: recording.id })
          await answer.reload()
        }),
    })
  const columns = columnsOf({ wide: playing === null, busy: saving, play: setPlaying, save, remove })
  return (
    <div className={tools.panel} data-testid="recordings-panel">
      <div className={tools.bar}>
        <Button
          icon={
            running === undefined ? (
              <Circle size={14} aria-hidden />
            ) : (
              <Square size={12} fill="currentColor" aria-hidden />
            )
          }
          busy={changing}
          disabled={whyNot !== undefined}
          data-testid="recording-toggle"
          onClick={() => void record()}
        >
          {running === undefined ? 'Record the display' : 'Stop recording'}
        </Button>
        {running === undefined && <Select label="Frames per second" value={fps} options={rates} onChange={setFps} />}
        {whyNot !== undefined && <span className={tools.why}>Not now: {whyNot}</span>}
        {sought === 'gone' && <span className={tools.why}>That recording is no longer on the machine</span>}
        <span className={tools.end}>
          <LookAgain answer={answer} />
        </span>
      </div>
      <PanelProblem problem={answer.problem} />
      <div className={styles.stage} data-playing={playing === null ? undefined : ''}>
        <div className={`${tools.body} ${tools.flat}`}>
          <Table
            label={`Recordings of ${machine.name}`}
            testId="recordings-table"
            columns={columns}
            rows={rows}
            rowId={({ id }) => id}
            marked={({ id }) => id === (playing?.id ?? aimed)}
            current={aimed}
            sort={sort}
            onSort={onSort}
            onOpen={(recording) => recording.state === 'done' && setPlaying(recording)}
            empty={
              <EmptyState
                icon={<Clapperboard size={26} aria-hidden />}
                title={answer.value === null ? (answer.asking ? 'Looking…' : 'Not known') : 'No recordings'}
                text={answer.value === null ? undefined : 'What the display shows can be recorded, and watched here.'}
              />
            }
          />
        </div>
        {playing !== null && (
          <Player key={playing.id} machineId={machine.id} recording={playing} onClose={() => setPlaying(null)} />
        )}
      </div>
    </div>
  )
}

interface ColumnDeps {
  wide: boolean
  busy: boolean
  play: (recording: Recording) => void
  save: (recording: Recording) => void
  remove: (recording: Recording) => void
}

function columnsOf({ wide, busy, play, save, remove }: ColumnDeps): Column<Recording, Key>[] {
  const all: (Column<Recording, Key> | false)[] = [
    {
      key: 'started',
      title: 'Begun',
      width: 'minmax(100px, 1fr)',
      cell: ({ startedAt }) => <Age at={startedAt} />,
    },
    { key: 'length', title: 'Length', width: '72px', cell: filmLength },
    {
      key: 'size',
      title: 'Size',
      width: '84px',
      quiet: true,
      cell: ({ sizeBytes }) => formatBytes(sizeBytes),
    },
    wide && {
      key: 'picture',
      title: 'Picture',
      width: 'minmax(120px, 1fr)',
      quiet: true,
      cell: ({ resolution, fps }) => `${resolution}, ${fps} fps`,
    },
    {
      key: 'state',
      title: 'State',
      width: 'minmax(104px, 1fr)',
      cell: (recording) => <StateBadge look={lookOf(recording)}>{endText(recording)}</StateBadge>,
    },
    {
      key: 'tools',
      title: 'What can be done',
      width: '106px',
      sortable: false,
      plain: true,
      cell: (recording) => {
        const ready = recording.state === 'done'
        return (
          <RowTools>
            <IconButton
              label={ready ? 'Play' : 'Play: only what is done can be played'}
              icon={<Play size={14} aria-hidden />}
              disabled={!ready}
              data-testid="recording-play"
              onClick={() => play(recording)}
            />
            <IconButton
              label={ready ? 'Save to this computer' : 'Save: only what is done can be saved'}
              icon={<Save size={14} aria-hidden />}
              disabled={!ready}
              busy={busy && ready}
              data-testid="recording-save"
              onClick={() => save(recording)}
            />
            <IconButton
              label={recording.state === 'recording' ? 'Delete: stop it first' : 'Delete'}
              icon={<Trash2 size={14} aria-hidden />}
              disabled={recording.state === 'recording'}
              data-testid="recording-delete"
              onClick={() => remove(recording)}
            />
          </RowTools>
        )
      },
    },
  ]
  return all.filter((column) => column !== false)
}

function lookOf({ state }: Recording) {
  if (state === 'recording') return { tone: 'broken', shape: 'round', pulsing: true } as const
  return state === 'failed'
    ? ({ tone: 'broken', shape: 'diamond' } as const)
    : ({ tone: 'off', shape: 'square' } as const)
}
