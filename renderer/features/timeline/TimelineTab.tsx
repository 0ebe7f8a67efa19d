import { Activity, SearchX } from 'lucide-react'
import { useCallback, useDeferredValue, useEffect, useMemo } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Freshness } from '../machine/Freshness.tsx'
import { whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { StateStrip } from '../state/StateStrip.tsx'
import { type Choice, choose, useTimelineChoice } from './choices.store.ts'
import { EntryDetail } from './EntryDetail.tsx'
import { EntryList } from './EntryList.tsx'
import { filtered, noFilter, type Placed, within } from './lanes.ts'
import { fitAll, reveal, spanOf, spanText, upToNow, type View, zoom } from './scale.ts'
import { sourcesOf } from './sources.ts'
import styles from './Timeline.module.css'
import { TimelineTools } from './TimelineTools.tsx'
import { Track } from './Track.tsx'
import { useEntries } from './useEntries.ts'

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
  const shown = useMemo(() => filtered(known.placed, filter), [known.placed, filter])
  // The picture follows the hand at once; the list and the counts when there is time for them.
  const settled = useDeferredValue(view)
  const rows = useMemo(() => within(shown, settled.from, settled.to), [shown, settled])
  const chosen = useMemo(() => known.placed.find(({ entry }) => entry.key === selected), [known.placed, selected])
  const counts = useMemo(() => countsOf(within(known.placed, settled.from, settled.to)), [known.placed, settled])

  const { older, more } = known
  const first = known.placed[0]?.start
  useEffect(() => {
    if (more && first !== undefined && view.from < first) older()
  }, [more, first, view.from, older])

  const show = (next: View) => change({ view: next, following: false })
  const fit = () => {
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
  const open = (placed: Placed | undefined) => {
    if (placed !== undefined) sourcesOf(machine, placed.entry)[0]?.open()
  }
  const isFiltered = filter !== noFilter && shown.length < known.placed.length
  const why = whyNot(machine)
  return (
    <div className={tab.tab} data-testid="timeline-tab">
      <StateStrip machine={machine} />
      <div className={tab.tools}>
        <TimelineTools
          {...{ view, now, following, filter, counts }}
          onRange={(ms) => change({ view: upToNow(now, ms), following: true })}
          onView={show}
          onZoom={(factor) => show(zoom(view, factor, following ? now : (view.from + view.to) / 2))}
          onFit={fit}
          onFilter={(next) => change({ filter: next })}
        />
        <span className={tab.end}>
          <span className={tab.note} data-testid="timeline-count">
            {rows.length.toLocaleString('en')} in {spanText(spanOf(settled))}
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
      <Track
        label={`Timeline of ${machine.name}: ${rows.length} entries in ${spanText(spanOf(view))}. The list below says the same.`}
        all={known.placed}
        {...{ shown, view, now, selected }}
        onView={show}
        onSelect={select}
        onFit={fit}
        onStep={step}
        onOpen={() => open(chosen)}
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
            onSelect={select}
            onOpen={open}
            empty={
              <Empty
                known={known.placed.length}
                asked={known.from === 'machine'}
                filtered={isFiltered}
                onAll={() => change({ filter: noFilter })}
                onFit={fit}
              />
            }
          />
          {chosen !== undefined && (
            <EntryDetail machine={machine} placed={chosen} onClose={() => change({ selected: null })} />
          )}
        </div>
      )}
    </div>
  )
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
        action={<Button onClick={onAll}>Show all kinds</Button>}
      />
    )
  }
  return (
    <EmptyState
      icon={<Activity size={26} aria-hidden />}
      title="Nothing happened in this stretch"
      action={<Button onClick={onFit}>Show all that is loaded</Button>}
    />
  )
}
