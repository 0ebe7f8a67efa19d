import { useCallback, useEffect, useRef, useState } from 'react'
import type { WireProblem } from '../../../../shared/errors.ts'
import { problemOf } from '../../../app/bridge.ts'
import type { InspectorSession } from '../session.ts'
import {
  type Entry,
  entriesOf,
  type FoundKey,
  frameIds,
  namesOf,
  ownersOf,
  questionFor,
  type StorageKind,
  type StorageOwner,
} from './areas.ts'

interface Asked<Value> {
  value: Value | null
  problem: WireProblem | null
}

/** Asks while this operator has control: what pages keep is as good as a login, so whoever watches is not told. */
function useAsked<Value>(ask: (() => Promise<Value>) | null, key: string) {
  const [state, setState] = useState<Asked<Value> & { key: string }>({ value: null, problem: null, key })
  const turn = useRef(0)
  // The question is made anew at each drawing; its key says what is asked.
  const latest = useRef(ask)
  latest.current = ask
  const may = ask !== null
  const reload = useCallback(async () => {
    const mine = ++turn.current
    try {
      const value = await latest.current?.()
      if (turn.current === mine && value !== undefined) setState({ value, problem: null, key })
    } catch (error) {
      if (turn.current === mine) setState({ value: null, problem: problemOf(error), key })
    }
  }, [key])
  useEffect(() => {
    if (may) void reload()
    return () => {
      turn.current++
    }
  }, [may, reload])
  const fits = may && state.key === key
  return { value: fits ? state.value : null, problem: fits ? state.problem : null, reload }
}

/** The storage keys of the page's own process, or of a frame's that runs apart. */
async function keysIn(session: InspectorSession, frame: string | undefined): Promise<FoundKey[]> {
  const frames = frameIds(await session.control('Page.getFrameTree', {}, { frame }))
  const keys = frames.map((frameId) =>
    session.control('Storage.getStorageKeyForFrame', { frameId }, { frame }).then(
      ({ storageKey }) => String(storageKey),
      // It went meanwhile, or runs apart in its turn.
      () => '',
    ),
  )
  return (await Promise.all(keys)).map((key) => ({ key, frame }))
}

/** Whose storage there is on the page that is looked at. */
export function useOwners(session: InspectorSession, mine: boolean, page: string) {
  const asked = useAsked(
    mine
      ? async () => {
          const apart = session.scopes.filter(({ type }) => type === 'iframe').map(({ targetId }) => targetId)
          const [page, ...frames] = await Promise.all([
            keysIn(session, undefined),
            // One that has gone meanwhile keeps nothing.
            ...apart.map((frame) => keysIn(session, frame).catch(() => [])),
          ])
          return ownersOf([...(page ?? []), ...frames.flat()])
        }
      : null,
    `owners ${page}`,
  )
  const { reload } = asked
  // Frames that run apart are told of one by one, some only while the page loads.
  useEffect(() => session.onScope(({ type }) => type === 'iframe' && void reload()), [session, reload])
  return asked
}

/** What one owner keeps: pairs, or the names of databases and caches. */
export function useKept(session: InspectorSession, mine: boolean, owner: StorageOwner | undefined, kind: StorageKind) {
  return useAsked<readonly Entry[]>(
    mine && owner !== undefined
      ? async () => {
          const { frame } = owner
          const answer = await session.control(...questionFor(owner, kind), { frame })
          return kind === 'local' || kind === 'session'
            ? entriesOf(answer)
            : namesOf(answer, kind).map((name) => [name, ''] as const)
        }
      : null,
    `${kind} ${owner?.key ?? ''}`,
  )
}
