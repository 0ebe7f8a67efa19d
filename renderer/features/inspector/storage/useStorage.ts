import { useCallback, useEffect, useRef, useState } from 'react'
import type { WireProblem } from '../../../../shared/errors.ts'
import { problemOf } from '../../../app/bridge.ts'
import type { InspectorSession } from '../session.ts'
import {
  type Entry,
  entriesOf,
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

/** Whose storage there is on the page that is looked at. */
export function useOwners(session: InspectorSession, mine: boolean, page: string) {
  return useAsked(
    mine
      ? async () => {
          const frames = frameIds(await session.control('Page.getFrameTree'))
          const keys = await Promise.all(
            frames.map((frameId) =>
              session.control('Storage.getStorageKeyForFrame', { frameId }).then(
                ({ storageKey }) => String(storageKey),
                // A frame that has gone meanwhile, or runs apart.
                () => '',
              ),
            ),
          )
          return ownersOf(keys)
        }
      : null,
    `owners ${page}`,
  )
}

/** What one owner keeps: pairs, or the names of databases and caches. */
export function useKept(session: InspectorSession, mine: boolean, owner: StorageOwner | undefined, kind: StorageKind) {
  return useAsked<readonly Entry[]>(
    mine && owner !== undefined
      ? async () => {
          const answer = await session.control(...questionFor(owner, kind))
          return kind === 'local' || kind === 'session'
            ? entriesOf(answer)
            : namesOf(answer, kind).map((name) => [name, ''] as const)
        }
      : null,
    `${kind} ${owner?.key ?? ''}`,
  )
}
