import { z } from 'zod'
import { timelineEntry } from './contract/timeline.ts'
import { workerView } from './contract/workers.ts'
import { machineView } from './domain/machine.ts'

/** The part of the IPC that a machine's tabs and the fleet's workers need beyond the agent's own calls. */

const machineId = z.string().min(1).max(100)
const onMachine = z.strictObject({ machineId })
const done = z.object({})

/** The agent's calls whose last answer is kept, for a machine that cannot be asked. */
export const keptCalls = [
  'workers.list',
  'containers.list',
  'env.get',
  'deploys.list',
  'audit.list',
  'machine.version',
  'timeline.list',
] as const
export type KeptCall = (typeof keptCalls)[number]

/** A worker with the moment at which the machine said this of it. */
export const seenWorker = workerView.extend({ seenAt: z.string() })
export type SeenWorker = z.infer<typeof seenWorker>

export const machineWorkers = z.object({ machineId: z.string(), at: z.string(), workers: z.array(seenWorker) })
export type MachineWorkers = z.infer<typeof machineWorkers>

export const wakeSteps = ['switch-on', 'verify', 'restore', 'done', 'failed'] as const

export const machineCalls = {
  /** What the machine last answered to that call, and when; null when it never did. Values of variables are not kept. */
  'known.get': {
    params: z.strictObject({ machineId, call: z.enum(keptCalls) }),
    result: z.object({ at: z.string(), value: z.unknown() }).nullable(),
  },
  /**
   * What this console itself knows of a machine's timeline: what the machine last told of it, and what events and its
   * audit add. For a machine that cannot be asked, and for an agent that has no timeline.
   */
  'timeline.known': {
    params: onMachine,
    result: z.object({
      /** When the newest of it was heard; null when nothing ever was. */
      at: z.string().nullable(),
      entries: z.array(timelineEntry),
    }),
  },
  /** Every machine's workers, as far as they are known. */
  'workers.all': { params: z.strictObject({}), result: z.array(machineWorkers) },
  /** What this console knows of the commit behind an image that it deployed; null where it deployed none such. */
  'known.commit': {
    params: z.strictObject({ machineId, imageTag: z.string().max(200) }),
    result: z
      .object({ sha: z.string().nullable(), message: z.string().nullable(), branch: z.string().nullable() })
      .nullable(),
  },
  /** Main makes the new secret, proves it and keeps it; no window ever sees one. */
  'fleet.rotateSecret': { params: onMachine, result: z.object({ message: z.string(), oldValidUntil: z.string() }) },
  /** The wakes that are under way. */
  'fleet.wakes': {
    params: z.strictObject({}),
    result: z.array(z.object({ machineId: z.string(), since: z.string(), step: z.enum(wakeSteps) })),
  },
  /** Nobody waits for the wake any more; what was switched on stays on. */
  'fleet.wakeCancel': { params: onMachine, result: done },
  /** The sandbox ends on purpose: an EC2 instance is terminated, any other machine's browser is ended. */
  'power.terminate': { params: onMachine, result: machineView },
  /** How the machine is reached, as far as only main knows. */
  'connection.get': {
    params: onMachine,
    result: z.object({
      agentId: z.string().nullable(),
      publicIp: z.string().nullable(),
      privateIp: z.string().nullable(),
      /** Of an SSH connection: how many channels it carries. Null where the way has no connection of its own. */
      channels: z.number().int().nullable(),
      tunnel: z.object({ state: z.string(), detail: z.string() }),
      secret: z.object({ kept: z.boolean(), since: z.string().nullable(), pending: z.boolean() }),
    }),
  },
} as const

export const machineEvents = {
  'workers.changed': machineWorkers,
  'wake.step': z.object({ machineId: z.string(), step: z.enum(wakeSteps), detail: z.string() }),
} as const
