import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { TimelineEntry } from '../../../shared/contract/timeline.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { call, callAgent, onIpcEvent, problemOf } from '../../app/bridge.ts'
import { isReachable } from '../machine/reach.ts'
import { type Placed, place } from './lanes.ts'

/** The first look, which main keeps for when the machine cannot be asked. */
const firstLook = 1000
const olderLook = 5000
/** Beyond this it is a record for another tool. An agent keeps fewer: some thousands of each kind. */
const mostEntries = 50_000
/** Events that come together are asked for together. */
const gatherMs = 300
/** What only stands in the audit is heard of by looking. */
const lookEveryMs = 5000
/** How often main's copy is brought up to date while someone watches. */
const keepEveryMs = 60_000
/** Closer than this two clocks are the same: the way there takes its time, too. */
const sameClockMs = 1000
/** A clock that is off by more tells nothing at all. */
const wildClockMs = 10 * 365 * 24 * 3600 * 1000
/** Heard all the time, and nothing of the timeline. */
const unimportant: ReadonlySet<string> = new Set(['viewers', 'build_output', 'metrics', 'sandbox_active'])

export interface Entries {
  placed: readonly Placed[]
  /** When the newest of it was known. */
  at: string | null
  from: 'machine' | 'cache'
  /** Nothing is known yet, and it is being asked for. */
  loading: boolean
  asking: boolean
  problem: WireProblem | null
  /** Why it is pieced together: the agent has no timeline of its own. */
  limited: string | null
  /** The machine has older ones, which are loaded on the way there. */
  more: boolean
  /** The machine has older ones still, and no more fit into this window. */
  full: boolean
  /** How far the machine's clock is ahead of this computer's. */
  skewMs: number
  reload: () => Promise<void>
  older: () => void
}

interface State extends Omit<Entries, 'placed' | 'loading' | 'full' | 'reload' | 'older'> {
  /** Everything from here on is loaded, up to the newest. */
  reachedTo: string | null
  entries: ReadonlyMap<string, TimelineEntry>
  revision: number | null
}

const nothing: State = {
  ...{ entries: new Map(), revision: null, reachedTo: null, at: null, from: 'cache', asking: true, problem: null },
  ...{ limited: null, more: false, skewMs: 0 },
}

type Answer = CallResult<'timeline.list'>

/** A machine's timeline as far as it is loaded, kept up to date while it is looked at. */
export function useEntries(machine: MachineView): Entries {
  const machineId = machine.id
  const reachable = isReachable(machine)
  const [state, setState] = useState<State>(nothing)
  const latest = useRef(state)
  latest.current = state
  const turn = useRef(0)

  const known = useCallback(
    async (mine: number, limited: string | null) => {
      const kept = await call('timeline.known', { machineId }).catch(() => null)
      if (turn.current !== mine) return
      setState((now) => ({
        ...(kept === null ? now : { ...now, entries: joined(now.entries, kept.entries), at: kept.at }),
        ...{ asking: false, limited, from: limited === null ? 'cache' : 'machine', problem: null },
      }))
    },
    [machineId],
  )

  const ask = useCallback(
    async (params: { limit: number; changedAfter?: number; to?: string }) => {
      const mine = ++turn.current
      setState((now) => ({ ...now, asking: true }))
      if (!reachable) return known(mine, null)
      const sent = Date.now()
      try {
        const answer = await callAgent(machineId, 'timeline.list', params)
        if (turn.current !== mine) return
        const ahead = Date.parse(answer.now) - (sent + Date.now()) / 2
        const skewMs = Math.abs(ahead) < sameClockMs || Math.abs(ahead) > wildClockMs ? 0 : ahead
        setState((now) => taken(now, answer, params, skewMs))
      } catch (error) {
        if (turn.current !== mine) return
        const problem = problemOf(error)
        if (problem.code !== 'not-supported') return setState((now) => ({ ...now, asking: false, problem }))
        // Its audit passes by main, which then has that to piece together as well.
        await callAgent(machineId, 'audit.list', { pageSize: 500 }).catch(() => null)
        await known(mine, problem.detail)
      }
    },
    [machineId, reachable, known],
  )

  const reload = useCallback(() => ask({ limit: firstLook }), [ask])
  const news = useCallback(() => {
    const { revision, limited } = latest.current
    if (revision === null || limited !== null) return reload()
    return ask({ limit: olderLook, changedAfter: revision })
  }, [ask, reload])

  useEffect(() => {
    void reload()
    return () => {
      turn.current++
    }
  }, [reload])

  useEffect(() => {
    if (!reachable) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      // An answer that is under way, of older entries perhaps, is not thrown away for this.
      timer = latest.current.asking ? setTimeout(soon, gatherMs) : undefined
      if (timer === undefined) void news()
    }
    const stop = onIpcEvent('agent.event', ({ machineId: id, event }) => {
      if (id !== machineId || unimportant.has(event.type)) return
      timer ??= setTimeout(soon, gatherMs)
    })
    const seen = (look: () => Promise<void>) => () => {
      if (document.visibilityState === 'visible' && !latest.current.asking) void look()
    }
    const looking = setInterval(seen(news), lookEveryMs)
    const keeping = setInterval(seen(reload), keepEveryMs)
    return () => {
      stop()
      clearTimeout(timer)
      clearInterval(looking)
      clearInterval(keeping)
    }
  }, [machineId, reachable, news, reload])

  const placed = useMemo(() => place(state.entries.values()), [state.entries])
  const { entries, revision: _revision, reachedTo: _reached, ...rest } = state
  const older = useCallback(() => {
    const { more, asking, entries: loaded, reachedTo } = latest.current
    if (!more || asking || loaded.size >= mostEntries || reachedTo === null) return
    void ask({ limit: olderLook, to: reachedTo })
  }, [ask])
  const full = state.more && entries.size >= mostEntries
  return {
    ...rest,
    more: state.more && !full,
    full,
    placed,
    loading: state.asking && entries.size === 0,
    reload,
    older,
  }
}

function joined(entries: State['entries'], more: readonly TimelineEntry[]): State['entries'] {
  if (more.length === 0) return entries
  const all = new Map(entries)
  for (const entry of more) all.set(entry.key, entry)
  return all
}

function taken(now: State, answer: Answer, params: { changedAfter?: number; to?: string }, skewMs: number): State {
  const changes = params.changedAfter !== undefined
  const fresh = changes ? answer.entries.filter((entry) => !same(now.entries.get(entry.key), entry)) : answer.entries
  const entries = joined(now.entries, fresh)
  // An answer of older ones that brought nothing new is the end of them, whatever it says.
  const reached = params.to !== undefined && entries.size === now.entries.size
  const first = !changes && params.to === undefined && now.revision === null
  const goesBack = first || params.to !== undefined
  return {
    reachedTo: goesBack ? oldestOf(answer.entries, now.reachedTo) : now.reachedTo,
    ...{ entries, revision: Math.max(answer.revision, now.revision ?? 0), at: answer.now, from: 'machine' },
    ...{ asking: false, problem: null, limited: null, skewMs },
    more: goesBack ? answer.more && !reached : now.more,
  }
}

/**
 * Where an answer ends. Not the oldest that is known at all: what changed lately may have begun weeks before, and agents
 * of before tell of every film with each answer. To ask on from there would leave out all that lies between.
 */
function oldestOf(entries: readonly TimelineEntry[], before: string | null): string | null {
  const others = entries.filter(({ kind }) => kind !== 'recording')
  const page = others.length === 0 ? entries : others
  return page.reduce((oldest, { at }) => (oldest === null || at < oldest ? at : oldest), before)
}

/** Films come with every answer: one that says the same again is no reason to draw. */
function same(known: TimelineEntry | undefined, entry: TimelineEntry): boolean {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(entry)
}
