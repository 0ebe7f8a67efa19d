import { z } from 'zod'
import { defineCall } from './define.ts'

/** How close the kept readings stand, and how far back they go. */
export const historyEveryMs = 10_000
export const historyKeptMs = 24 * 3_600_000

/** Shares in percent, rates in bytes per second: each over the whole time since the point before. */
export const historyPoint = z.object({
  /** Milliseconds since 1970, a multiple of `everyMs`: the points of many machines stand at the same times. */
  at: z.number(),
  cpu: z.number(),
  memory: z.number(),
  disk: z.number(),
  rx: z.number(),
  tx: z.number(),
})
export type HistoryPoint = z.infer<typeof historyPoint>

const containerPoint = z.object({
  at: z.number(),
  /** Of all cores together; null where there was nothing to compare with. */
  cpu: z.number().nullable(),
  memoryMb: z.number(),
})

export const metricsHistory = defineCall({
  name: 'machine.metricsHistory',
  method: 'GET',
  path: '/metrics/history',
  access: 'secret',
  summary: 'Load of the machine and of its containers over the last 24 h. Nothing stands where the agent did not run.',
  params: () =>
    z.strictObject({
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
      everyMs: z
        .int()
        .min(historyEveryMs)
        .max(3_600_000)
        .default(historyEveryMs)
        .describe('Readings within this time are one point, their mean'),
      containers: z.boolean().default(true),
    }),
  result: () =>
    z.object({
      everyMs: z.number(),
      points: z.array(historyPoint),
      /** By name: the container of a name may have been replaced in that time. */
      containers: z.array(z.object({ name: z.string(), points: z.array(containerPoint) })),
    }),
})
