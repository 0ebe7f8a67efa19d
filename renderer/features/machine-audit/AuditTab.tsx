import { ScrollText, SearchX, ShieldAlert, ShieldCheck } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { AuditEntry } from '../../../shared/contract/audit.ts'
import { auditActions } from '../../../shared/contract/audit-actions.ts'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call, callAgent } from '../../app/bridge.ts'
import { useTarget } from '../../app/target.ts'
import { useBusy, work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { toast } from '../../ui/Toast.tsx'
import { formatDuration } from '../../ui/time.ts'
import type { Tone } from '../../ui/tone.ts'
import { useSort } from '../../ui/useSort.ts'
import { useWide } from '../../ui/useWide.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { Freshness } from '../machine/Freshness.tsx'
import { isReachable, whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { useKnown } from '../machine/useKnown.ts'
import { StateStrip } from '../state/StateStrip.tsx'
import styles from './AuditTab.module.css'

type Key = 'at' | 'operator' | 'action' | 'details' | 'result' | 'took'

const pageSize = 200
const ranges = { all: 'Any time', hour: 'Last hour', day: 'Last 24 h', week: 'Last 7 d' } as const
const rangeMs = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const
const actionNames: Record<string, string> = {
  all: 'Any action',
  ...Object.fromEntries(auditActions.map((action) => [action, action])),
}
const sorts: Partial<Record<Key, (row: AuditEntry) => string | number | null>> = {
  at: (row) => row.id,
  operator: (row) => row.operator,
  action: (row) => row.action,
  result: (row) => row.result,
  took: (row) => row.durationMs,
}

const resultTone = (result: string): Tone =>
  result === 'success' ? 'up' : result === 'pending' ? 'engine' : result === 'unknown' ? 'unknown' : 'broken'

/** Everything that was changed on a machine, as its own agent wrote it down, and whether that still holds together. */
export function AuditTab({ machine }: { machine: MachineView }) {
  const [action, setAction] = useState('all')
  const [range, setRange] = useState<keyof typeof ranges>('all')
  const [operator, setOperator] = useState('')
  const [pages, setPages] = useState(1)
  const [opened, setOpened] = useState<AuditEntry | null>(null)
  useAimed(machine, setOpened)
  const wide = useWide(1180)
  // Only at the press of a key: a time that moved with each drawing would ask without end.
  const from = useMemo(
    () => (range === 'all' ? undefined : new Date(Date.now() - rangeMs[range]).toISOString()),
    [range],
  )
  const params = {
    pageSize: Math.min(500, pageSize * pages),
    ...(action === 'all' ? {} : { action }),
    ...(operator.trim() === '' ? {} : { operator: operator.trim() }),
    ...(from === undefined ? {} : { from }),
  }
  const known = useKnown(machine, 'audit.list', params)
  const why = whyNot(machine)
  const found = useMemo(
    () =>
      (known.value?.entries ?? []).filter(
        (entry) => known.from === 'machine' || matches(entry, action, operator, from),
      ),
    [known.value, known.from, action, operator, from],
  )
  const { rows, sort, onSort } = useSort<AuditEntry, Key>(found, sorts)
  const columns = useMemo(() => columnsOf(wide), [wide])
  const filtered = action !== 'all' || range !== 'all' || operator.trim() !== ''
  const total = known.value?.total ?? 0
  return (
    <div className={tab.tab} data-testid="audit-tab">
      <StateStrip machine={machine} />
      <div className={tab.tools}>
        <div className={styles.choice}>
          <Select label="Action" value={action} options={actionNames} onChange={setAction} />
        </div>
        <div className={styles.choice}>
          <Select label="Time" value={range} options={ranges} onChange={setRange} />
        </div>
        <Input
          className={styles.operator}
          placeholder="Who"
          aria-label="Who"
          data-testid="audit-operator"
          value={operator}
          onChange={(event) => setOperator(event.target.value)}
        />
        <Verdict machine={machine} why={why} />
        <span className={tab.end}>
          <span className={tab.note}>{known.value !== null && `${found.length} of ${total}`}</span>
          <Freshness known={known} why={why} />
        </span>
      </div>
      {known.problem !== null && <ErrorText problem={known.problem} />}
      {known.loading ? (
        <Waiting label={`Reading the audit of ${machine.name}`} wayOut={{ title: 'Stop waiting', run: known.giveUp }} />
      ) : (
        <Table
          label={`Audit of ${machine.name}`}
          testId="audit-table"
          columns={columns}
          rows={rows}
          rowId={(row) => String(row.id)}
          sort={sort}
          onSort={onSort}
          onOpen={setOpened}
          empty={
            filtered ? (
              <EmptyState
                icon={<SearchX size={26} aria-hidden />}
                title="No entry matches"
                action={
                  <Button
                    onClick={() => {
                      setAction('all')
                      setRange('all')
                      setOperator('')
                    }}
                  >
                    Show all entries
                  </Button>
                }
              />
            ) : (
              <EmptyState
                icon={<ScrollText size={26} aria-hidden />}
                title={known.value === null ? 'Nothing is known of its audit' : 'Nothing was changed yet'}
                text={known.value === null ? 'This console has not seen it yet.' : undefined}
              />
            )
          }
        />
      )}
      {known.from === 'machine' && total > found.length && params.pageSize < 500 && (
        <Button onClick={() => setPages(pages + 1)}>Show older</Button>
      )}
      <EntryDialog entry={opened} onClose={() => setOpened(null)} />
    </div>
  )
}

/** Opens the entry that was asked for elsewhere: from the machine, or from what was kept of it. */
function useAimed(machine: MachineView, open: (entry: AuditEntry) => void): void {
  const target = useTarget('audit', machine.id)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the tab is opened for it
  useEffect(() => {
    if (target === null) return
    const found = isReachable(machine)
      ? callAgent(machine.id, 'audit.list', { from: target.at, to: target.at })
      : call('known.get', { machineId: machine.id, call: 'audit.list' }).then(
          (kept) => kept?.value as CallResult<'audit.list'> | undefined,
        )
    void found
      .catch(() => undefined)
      .then((answer) => {
        const entry = answer?.entries.find(({ id }) => String(id) === target.id)
        if (entry !== undefined) open(entry)
        else toast({ title: 'That entry of the audit is not known here', detail: 'The list below is all there is.' })
      })
  }, [machine.id])
}

/** The same choice that the machine makes, for what was kept of it. */
function matches(entry: AuditEntry, action: string, operator: string, from: string | undefined): boolean {
  return (
    (action === 'all' || entry.action === action) &&
    (operator.trim() === '' || entry.operator === operator.trim()) &&
    (from === undefined || entry.createdAt >= from)
  )
}

function columnsOf(wide: boolean): Column<AuditEntry, Key>[] {
  const all: (Column<AuditEntry, Key> | false)[] = [
    {
      key: 'at',
      title: 'When',
      width: '110px',
      quiet: true,
      cell: (row) => (
        <span title={row.createdAt}>
          <Age at={row.createdAt} />
        </span>
      ),
    },
    { key: 'operator', title: 'Who', width: 'minmax(90px, 0.7fr)', cell: (row) => row.operator ?? '–' },
    { key: 'action', title: 'What', width: 'minmax(110px, 0.7fr)', mono: true, cell: (row) => row.action },
    {
      key: 'details',
      title: 'Details',
      width: 'minmax(160px, 2fr)',
      mono: true,
      quiet: true,
      cell: (row) => detailText(row),
    },
    {
      key: 'result',
      title: 'Result',
      width: '100px',
      cell: (row) => <Badge tone={resultTone(row.result)}>{row.result}</Badge>,
    },
    wide && {
      key: 'took',
      title: 'Took',
      width: '80px',
      quiet: true,
      cell: (row) => (row.durationMs === null ? '–' : formatDuration(row.durationMs)),
    },
  ]
  return all.filter((column) => column !== false)
}

function detailText({ details, errorMessage }: AuditEntry): string {
  if (errorMessage !== null) return errorMessage
  return Object.entries(details)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

function Verdict({ machine, why }: { machine: MachineView; why: string | undefined }) {
  const [verdict, setVerdict] = useState<(CallResult<'audit.verify'> & { at: string }) | null>(null)
  const key = `audit-verify:${machine.id}`
  const busy = useBusy(key)
  const machineId = machine.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine's verdict says nothing of this one
  useEffect(() => setVerdict(null), [machineId])
  const check = () =>
    work(key, 'Checking the chain', async () => {
      const found = await callAgent(machineId, 'audit.verify', {})
      setVerdict({ ...found, at: new Date().toISOString() })
    })
  return (
    <>
      <Button
        icon={<ShieldCheck size={15} aria-hidden />}
        busy={busy}
        disabled={why !== undefined}
        title={why}
        data-testid="audit-check"
        onClick={() => void check()}
      >
        Check the chain
      </Button>
      {verdict !== null && (
        <span className={styles.verdict} data-sound={verdict.sound} role="status" data-testid="audit-verdict">
          {verdict.sound ? <ShieldCheck size={15} aria-hidden /> : <ShieldAlert size={15} aria-hidden />}
          {verdict.sound
            ? `Sound: ${verdict.entries} links`
            : `Broken at entry ${verdict.broken?.id ?? '?'}: ${verdict.broken?.reason ?? ''}`}
          , <Age at={verdict.at} />
        </span>
      )}
    </>
  )
}

function EntryDialog({ entry, onClose }: { entry: AuditEntry | null; onClose: () => void }) {
  const text = entry === null ? '' : JSON.stringify(entry, null, 2)
  return (
    <Dialog
      open={entry !== null}
      onClose={onClose}
      wide
      title={entry === null ? '' : `${entry.action}, entry ${entry.id}`}
    >
      <pre className={styles.entry}>{text}</pre>
      <div>
        <CopyButton text={text} label="Copy the entry" wordy />
      </div>
    </Dialog>
  )
}
