import { z } from 'zod'
import { environments } from './environments.ts'
import { legStates, rolloutStatuses } from './rollout-states.ts'

/** A deploy over several machines, batch by batch, as main keeps it and a window is shown it. */

export const legSchema = z.object({
  machineId: z.string(),
  /** As it was called then: a machine may be renamed or removed later. */
  name: z.string(),
  environment: z.enum(environments),
  batch: z.number().int(),
  state: z.enum(legStates),
  /** Part of the key under which the agent runs a call once; a person's "try again" counts it up. */
  attempt: z.number().int(),
  /** How often the call was found not to have arrived. */
  tries: z.number().int(),
  force: z.boolean(),
  /** The agent's newest deploy before this one: whatever has a higher id came later. */
  baseline: z.number().int().nullable(),
  agentDeployId: z.number().int().nullable(),
  /** Of a rollback: the agent's deploy that is taken back. */
  undoes: z.number().int().nullable(),
  previousTag: z.string().nullable(),
  previousDigest: z.string().nullable(),
  digest: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** What happened there, in words. */
  detail: z.string().nullable(),
  /** The row of this machine in the history of deploys. */
  historyId: z.number().int().nullable(),
})
export type Leg = z.infer<typeof legSchema>

export const rolloutSchema = z.object({
  id: z.number().int(),
  /** Unlike the id, no other console has the same. */
  key: z.string(),
  kind: z.enum(['deploy', 'rollback']),
  tag: z.string(),
  commit: z.string().nullable(),
  /** What the commit says of itself, and where it was made; consoles before this did not keep it. */
  commitMessage: z.string().nullable().default(null),
  branch: z.string().nullable().default(null),
  status: z.enum(rolloutStatuses),
  /** Why it is stopping, or has stopped. */
  stoppedBy: z.enum(['failure', 'person']).nullable(),
  maxUnavailable: z.number().int().min(1),
  onFailure: z.enum(['stop', 'continue']),
  operator: z.string(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
  rollbackOf: z.number().int().nullable(),
  legs: z.array(legSchema),
})
export type Rollout = z.infer<typeof rolloutSchema>

/** What a machine is doing within its deploy right now; told as it happens, and not kept. */
export const legProgress = z.object({
  rolloutId: z.number().int(),
  machineId: z.string(),
  /** A step of the agent's, or one of the console's own: check, prove, reconnect. */
  step: z.string(),
  message: z.string(),
  /** 0 to 1; null where nobody can say. */
  progress: z.number().nullable(),
})
export type LegProgress = z.infer<typeof legProgress>
