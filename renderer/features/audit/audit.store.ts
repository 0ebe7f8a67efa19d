import { create } from 'zustand'
import type { WireProblem } from '../../../shared/errors.ts'
import type { IpcResult } from '../../../shared/ipc.ts'
import type { AuditCursor, AuditFilterWish, AuditSource, MergedEntry } from '../../../shared/ipc-audit.ts'
import { call, callAgent, problemOf } from '../../app/bridge.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { missingWords } from './sources.ts'

export type Verdict = Pick<IpcResult<'audit.verifyConsole'>, 'sound' | 'entries' | 'broken'>
export type Checked = { state: 'checking' } | { state: 'failed'; problem: WireProblem } | ({ state: 'done' } & Verdict)

export const spans = {
  any: 'Any time',
  hour: 'Last hour',
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
}
export type Span = keyof typeof spans
const spanMs: Record<Span, number | null> = {
  any: null,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
}

export interface Wanted {
  sources: readonly string[]
  actions: readonly string[]
  results: readonly string[]
  operators: readonly string[]
  text: string
  span: Span
}

interface AuditState {
  wanted: Wanted
  entries: readonly MergedEntry[]
  next: AuditCursor | null
  missing: readonly string[]
  /** Looking: nothing was found yet, and what is older is being asked for. */
  phase: 'loading' | 'more' | 'looking' | 'ready'
  problem: WireProblem | null
  sources: readonly AuditSource[]
  actions: readonly string[]
  operators: readonly string[]
  verdicts: Readonly<Record<string, Checked>>
  following: boolean
  /** Machines whose rows were not asked for yet since the screen opened. */
  left: number
  /** The entry whose details are open, by source and id. */
  open: string | null
}

export const nothingWanted: Wanted = { sources: [], actions: [], results: [], operators: [], text: '', span: 'any' }

export const useAudit = create<AuditState>(() => ({
  wanted: nothingWanted,
  entries: [],
  next: null,
  missing: [],
  phase: 'loading',
  problem: null,
  sources: [],
  actions: [],
  operators: [],
  verdicts: {},
  following: false,
  left: 0,
  open: null,
}))

export const keyOf = ({ source, id }: Pick<MergedEntry, 'source' | 'id'>) => `${source} ${id}`
const pageSize = 200
const followMs = 3000
/** A search that reads on by itself stops here; a person may go on. */
const searchRounds = 20

export function filterOf({ sources, actions, results, operators, text, span }: Wanted, now: number): AuditFilterWish {
  const ms = spanMs[span]
  return {
    sources: [...sources],
    actions: [...actions],
    results: [...results],
    operator: operators[0] ?? '',
    text: text.trim(),
    ...(ms === null ? {} : { from: new Date(now - ms).toISOString() }),
  }
}

let asked = 0

/** Reads anew what is wanted; an answer to an older wish is dropped. */
export async function reload(quietly = false, rounds = searchRounds): Promise<void> {
  const turn = ++asked
  if (!quietly) useAudit.setState({ phase: 'loading' })
  await read([], undefined, turn, rounds)
}

/** Reads on below what is shown, or where a search was stopped. */
export async function loadMore(): Promise<void> {
  const { next, phase, entries } = useAudit.getState()
  if (next === null || phase !== 'ready') return
  useAudit.setState({ phase: entries.length === 0 ? 'looking' : 'more' })
  await read(entries, next, asked, searchRounds)
}

/** Leaves it at what was found so far; a person may go on from there. */
export function stopLooking(): void {
  asked++
  useAudit.setState({ phase: 'ready' })
}

/** A page without entries is not the end: goes on until something was found, and says meanwhile how far back it is. */
async function read(shown: readonly MergedEntry[], from: AuditCursor | undefined, turn: number, rounds: number) {
  const filter = filterOf(useAudit.getState().wanted, Date.now())
  try {
    let before = from
    for (let round = 1; ; round++) {
      const page = await call('audit.query', { filter, limit: pageSize, ...(before === undefined ? {} : { before }) })
      if (turn !== asked) return
      const found = { ...page, entries: [...shown, ...page.entries], problem: null }
      if (page.entries.length > 0 || page.next === null || round === rounds)
        return useAudit.setState({ ...found, phase: 'ready' })
      useAudit.setState({ ...found, phase: 'looking' })
      before = page.next
    }
  } catch (error) {
    if (turn === asked) useAudit.setState({ phase: 'ready', problem: problemOf(error) })
  }
}

export function want(changed: Partial<Wanted>): void {
  useAudit.setState(({ wanted }) => ({ wanted: { ...wanted, ...changed } }))
  void reload(true)
}

async function loadSources(): Promise<void> {
  useAudit.setState(await call('audit.sources', {}))
}

/** Brings copies of all machines up to date, some at a time, and shows what came. */
async function refreshAll(wanted: () => boolean): Promise<void> {
  for (let round = 0; wanted() && round < 40; round++) {
    const { left } = await call('audit.refresh', { most: 50 })
    if (!wanted()) return
    useAudit.setState({ left })
    await Promise.all([loadSources(), readTop()])
    if (left === 0) return
  }
}

/** Rows are only put in above what a person looks at while that is the newest, and no search is begun anew by it. */
async function readTop(): Promise<void> {
  const { entries, phase, next } = useAudit.getState()
  if (entries.length > pageSize || phase === 'looking') return
  await reload(true, entries.length === 0 && next !== null ? 1 : searchRounds)
}

/** What the screen needs while it is open; returns the way to stop. */
export function openAudit(): () => void {
  let open = true
  const isOpen = () => open
  void reload()
  const begun = loadSources()
    .then(() => refreshAll(isOpen))
    .catch(sayProblem)
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = async () => {
    if (useAudit.getState().following) await refreshAll(isOpen).catch(sayProblem)
    if (open) timer = setTimeout(() => void follow(), followMs)
  }
  void begun.then(follow)
  return () => {
    open = false
    clearTimeout(timer)
    useAudit.setState({ open: null })
  }
}

function sayProblem(error: unknown): void {
  useAudit.setState({ problem: problemOf(error) })
}

export const toggleFollow = () => useAudit.setState(({ following }) => ({ following: !following }))

/** Has a source walk its own chain, and shows the verdict. */
export async function verifySource(source: string): Promise<void> {
  const note = (checked: Checked) =>
    useAudit.setState(({ verdicts }) => ({ verdicts: { ...verdicts, [source]: checked } }))
  note({ state: 'checking' })
  try {
    const verdict =
      source === 'console' ? await call('audit.verifyConsole', {}) : await callAgent(source, 'audit.verify', {})
    note({ state: 'done', sound: verdict.sound, entries: verdict.entries, broken: verdict.broken })
  } catch (error) {
    note({ state: 'failed', problem: problemOf(error) })
  }
}

/** Every source that can be asked, and then one sentence. */
export function verifyAll(sources: readonly string[]): Promise<boolean> {
  return work('audit-verify', 'Checking the chains', async () => {
    const rest = sources.values()
    const worker = async () => {
      for (const source of rest) await verifySource(source)
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    const { verdicts } = useAudit.getState()
    const found = sources.map((source) => verdicts[source])
    const sound = found.filter((one) => one?.state === 'done' && one.sound).length
    const broken = found.filter((one) => one?.state === 'done' && !one.sound).length
    const silent = found.length - sound - broken
    const rows = found.reduce((sum, one) => sum + (one?.state === 'done' ? one.entries : 0), 0)
    if (broken > 0)
      toast({
        title: broken === 1 ? 'A chain is broken' : `${broken} chains are broken`,
        detail: 'Sources says where.',
        kind: 'problem',
        id: 'chain',
      })
    else
      toast({
        title: sound === 1 ? 'The chain is sound' : `${sound} chains are sound`,
        detail: `${rows} links, none changed, moved or missing.${silent > 0 ? ` ${silent} could not be asked.` : ''}`,
        id: 'chain',
      })
  })
}

export function exportAudit(format: 'csv' | 'json'): Promise<boolean> {
  return work('audit-export', 'The export', async () => {
    const filter = filterOf(useAudit.getState().wanted, Date.now())
    const { file, entries, missing, stopped } = await call('audit.exportMerged', { format, filter })
    if (file === null) return
    const { machines } = useFleet.getState()
    const title = `${entries} ${entries === 1 ? 'entry' : 'entries'} exported`
    const lacks = [stopped ? 'It was stopped before the end.' : '', missingWords(missing, machines)]
    const detail = [...lacks, file].filter((part) => part !== '').join(' ')
    toast({ title, detail, id: 'export', ...(detail === file ? {} : { kind: 'problem' }) })
  })
}

export const stopExport = () => void call('audit.stopExport', {}).catch(sayProblem)
