import { Activity, SearchX } from 'lucide-react'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { useSettled } from '../../ui/useSettled.ts'
import { useSteady } from '../../ui/useSteady.ts'
import { Freshness } from '../machine/Freshness.tsx'
import { whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { StateStrip } from '../state/StateStrip.tsx'
import { type Choice, choose, useTimelineChoice } from './choices.store.ts'
import { EntryDetail } from './EntryDetail.tsx'
import { EntryList } from './EntryList.tsx'
import { type Filter, filtered, noFilter, type Placed, within } from './lanes.ts'
import { clockText, exactTime, fitAll, reveal, spanOf, spanText, upToNow, type View, zoom } from './scale.ts'
import { sourcesOf } from './sources.ts'
import styles from './Timeline.module.css'
import { TimelineTools } from './TimelineTools.tsx'
import { Track } from './Track.tsx'
import { type Entries, useEntries } from './useEntries.ts'

/** Shorter than one waits for; longer than from one movement of a hand to the next. */
const restMs = 80

/** Everything that happened on a machine, on one clock. */
export function TimelineTab({ machine }: { machine: MachineView }) {
  const machineId = machine.id
  const known = useEntries(machine)
  const choice = useTimelineChoice(machineId)
  const { filter, selected, following } = choice
  const change = useCallback((changed: Partial<Choice>) => choose(machineId, changed), [machineId])
  // A machine that cannot be asked stands still, and so does its picture.
  const ticking = useNow() + known.skewMs
  const now = known.from === 'machine' || known.at === null ? ticking : Date.parse(known.at)
  const span = spanOf(choice.view)
  const view = useMemo(() => (following ? upToNow(now, span / 1.02) : choice.view), [following, now, span, choice.view])
  // The picture follows the hand at once, and letters the keyboard; the list follows when the hand rests.
  const settledFilter = useDeferredValue(filter)
  const shown = useMemo(() => filtered(known.placed, settledFilter), [known.placed, settledFilter])
  const settled = useSettled(view, restMs)
  const rows = useMemo(() => within(shown, settled.from, settled.to), [shown, settled])
  const chosen = useMemo(() => known.placed.find(({ entry }) => entry.key === selected), [known.placed, selected])
  const counts = useMemo(() => countsOf(within(known.placed, settled.from, settled.to)), [known.placed, settled])

  const { older, more } = known
  const first = known.placed[0]?.start
  useEffect(() => {
    if (more && first !== undefined && view.from < first) older()
  }, [more, first, view.from, older])

  const show = (next: View) => change({ view: next, following: false })
  /** Going back to the first of all, which brings what is not loaded yet. */
  const [goesTo, setGoesTo] = useState<'all' | 'first' | null>(null)
  const byHand = (next: View) => {
    setGoesTo(null)
    show(next)
  }
  const showLoaded = () => {
    const [oldest, newest] = [shown[0], shown.at(-1)]
    if (oldest === undefined || newest === undefined) return
    const last = Math.max(...shown.map(({ start, end }) => (Number.isFinite(end) ? end : Math.max(start, now))))
    show(fitAll(oldest.start, last))
  }
  const select = (placed: Placed) => {
    const seen = reveal(view, placed.start)
    // What is under way may reach in from long before; it is in sight already.
    const inSight = placed.start <= view.to && placed.end >= view.from
    change({ selected: placed.entry.key, ...(inSight || seen === view ? {} : { view: seen, following: false }) })
  }
  const step = (steps: number) => {
    const at = shown.findIndex(({ entry }) => entry.key === selected)
    const from = at === -1 ? (steps > 0 ? shown.findIndex(({ start }) => start >= view.from) - 1 : shown.length) : at
    const next = shown[Math.min(shown.length - 1, Math.max(0, from + steps))]
    if (next !== undefined) select(next)
  }
  const arrive = useRef(() => {})
  arrive.current = () => {
    if (goesTo === 'all') showLoaded()
    else if (shown[0] !== undefined) select(shown[0])
    if (!more || known.problem !== null) setGoesTo(null)
    else older()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer one stands farther back
  useEffect(() => {
    if (goesTo !== null && !known.asking) arrive.current()
  }, [goesTo, known.asking, known.placed])
  const open = (placed: Placed | undefined) => {
    if (placed !== undefined) sourcesOf(machine, placed.entry)[0]?.open()
  }
  const isFiltered = filter !== noFilter && shown.length < known.placed.length
  const steady = useSteady({
    onRange: (ms: number) => {
      setGoesTo(null)
      change({ view: upToNow(now, ms), following: true })
    },
    onView: byHand,
    onZoom: (factor: number) => byHand(zoom(view, factor, following ? now : (view.from + view.to) / 2)),
    onFit: () => {
      setGoesTo('all')
      showLoaded()
    },
    onFilter: (next: Filter) => change({ filter: next }),
    onAll: () => change({ filter: noFilter }),
    onSelect: select,
    onOpen: open,
    onStep: (steps: number) => {
      setGoesTo(steps === Number.NEGATIVE_INFINITY ? 'first' : null)
      step(steps)
    },
    onOpenChosen: () => open(chosen),
  })
  const count = known.placed.length
  const asked = known.from === 'machine'
  const empty = useMemo(
    () => <Empty known={count} asked={asked} filtered={isFiltered} onAll={steady.onAll} onFit={steady.onFit} />,
    [count, asked, isFiltered, steady],
  )
  const why = whyNot(machine)
  const wrong = asked ? clockText(known.skewMs) : null
  return (
    <div className={tab.tab} data-testid="timeline-tab">
      <StateStrip machine={machine} />
      <div className={tab.tools}>
        <TimelineTools
          {...{ following, filter, counts }}
          view={settled}
          onRange={steady.onRange}
          onView={steady.onView}
          onZoom={steady.onZoom}
          onFit={steady.onFit}
          onFilter={steady.onFilter}
          skewMs={known.skewMs}
        />
        <span className={tab.end}>
          <span className={tab.note} data-testid="timeline-count">
            {rows.length.toLocaleString('en')} in {spanText(spanOf(settled))}
            {first !== undefined && beforeThose(known, first, settled.from)}
          </span>
          <Freshness known={{ ...known, value: known.placed }} why={why} />
        </span>
      </div>
      {known.problem !== null && <ErrorText problem={known.problem} />}
      {known.limited !== null && (
        <p className={styles.limited} role="status" data-testid="timeline-limited">
          {known.limited} Shown is what this console heard of it: its events and its audit. Errors of pages, failed
          requests, pictures and anything from before are missing.
        </p>
      )}
      {wrong !== null && (
        <p className={styles.limited} role="status" data-testid="timeline-clock">
          The clock of {machine.name} is {wrong} this computer’s. Times here are those of the machine.
        </p>
      )}
      <Track
        label={`Timeline of ${machine.name}: ${rows.length} entries in ${spanText(spanOf(view))}. The list below says the same.`}
        all={known.placed}
        {...{ shown, view, now, selected }}
        onView={steady.onView}
        onSelect={steady.onSelect}
        onFit={steady.onFit}
        onStep={steady.onStep}
        onOpen={steady.onOpenChosen}
      />
      {known.loading ? (
        <div className={tab.waiting} role="status" aria-label="Reading the timeline" />
      ) : (
        <div className={styles.below}>
          <EntryList
            label={`What happened on ${machine.name}`}
            rows={rows}
            narrow={chosen !== undefined}
            selected={selected}
            following={following}
            onSelect={steady.onSelect}
            onOpen={steady.onOpen}
            empty={empty}
          />
          {chosen !== undefined && (
            <EntryDetail machine={machine} placed={chosen} onClose={() => change({ selected: null })} />
          )}
        </div>
      )}
    </div>
  )
}

/** What the lanes do not show although it happened. */
function beforeThose({ more, full, asking }: Pick<Entries, 'more' | 'full' | 'asking'>, first: number, from: number) {
  if (full) return ` · what was before ${exactTime(first)} is not loaded: too much`
  if (more && asking && from < first) return ' · loading older ones…'
  return more ? ' · there are older ones' : ''
}

function countsOf(rows: readonly Placed[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { entry } of rows) counts[entry.kind] = (counts[entry.kind] ?? 0) + 1
  return counts
}

interface EmptyProps {
  known: number
  asked: boolean
  filtered: boolean
  onAll: () => void
  onFit: () => void
}

function Empty({ known, asked, filtered: isFiltered, onAll, onFit }: EmptyProps) {
  if (known === 0) {
    return (
      <EmptyState
        icon={<Activity size={26} aria-hidden />}
        title={asked ? 'Nothing happened yet' : 'Nothing is known of its timeline'}
        text={asked ? 'What happens from now on appears here.' : 'This console has not heard from the machine yet.'}
      />
    )
  }
  if (isFiltered) {
    return (
      <EmptyState
        icon={<SearchX size={26} aria-hidden />}
        title="Nothing that fits lies in this stretch"
        action={<Button onClick={onAll}>Clear the filters</Button>}
      />
    )
  }
  return (
    <EmptyState
      icon={<Activity size={26} aria-hidden />}
      title="Nothing happened in this stretch"
      action={<Button onClick={onFit}>Show all</Button>}
    />
  )
}
