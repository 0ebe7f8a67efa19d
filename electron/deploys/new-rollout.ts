import { randomUUID } from 'node:crypto'
import type { Leg, Rollout } from '../../shared/domain/rollout.ts'
import { inBatches } from '../../shared/domain/rollout-states.ts'

export interface NewRollout {
  kind?: Rollout['kind']
  tag: string
  commit?: string | null
  commitMessage?: string | null
  branch?: string | null
  /** In the order in which they are taken. */
  machines: readonly (Pick<Leg, 'machineId' | 'name' | 'environment'> & Partial<Pick<Leg, 'undoes'>>)[]
  maxUnavailable: number
  onFailure: Rollout['onFailure']
  force: boolean
  operator: string
  at: string
  rollbackOf?: number | null
}

/** A rollout before its first step; its id is given by the store. */
export function newRollout(wish: NewRollout): Rollout {
  const batches = inBatches(wish.machines, wish.maxUnavailable)
  return {
    id: 0,
    key: randomUUID(),
    kind: wish.kind ?? 'deploy',
    tag: wish.tag,
    commit: wish.commit ?? null,
    commitMessage: wish.commitMessage ?? null,
    branch: wish.branch ?? null,
    status: 'running',
    stoppedBy: null,
    maxUnavailable: wish.maxUnavailable,
    onFailure: wish.onFailure,
    operator: wish.operator,
    createdAt: wish.at,
    endedAt: null,
    rollbackOf: wish.rollbackOf ?? null,
    legs: batches.flatMap((batch, place) =>
      batch.map(
        (machine): Leg => ({
          ...{ undoes: null, ...machine, batch: place, state: 'waiting', attempt: 1, tries: 0, force: wish.force },
          ...{ baseline: null, agentDeployId: null, previousTag: null, previousDigest: null, digest: null },
          ...{ startedAt: null, endedAt: null, detail: null, historyId: null },
        }),
      ),
    ),
  }
}
