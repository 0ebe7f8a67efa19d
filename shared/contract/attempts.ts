import { z } from 'zod'
import { engineModes } from '../domain/switch-criteria.ts'
import { openEnum } from './define.ts'

/** One try of one engine, or of a person: what a run's trail is made of. */

export const drivers = ['stagehand', 'magnitude', 'human', 'none'] as const

/** Who drives, or did. */
export const driverView = z.object({ engine: openEnum(drivers), mode: openEnum(engineModes).nullable() })
export type DriverView = z.infer<typeof driverView>

export const attempt = driverView.extend({
  level: z.number().int(),
  attempt: z.number().int(),
  startedAt: z.string(),
  durationMs: z.number(),
  result: openEnum(['success', 'failed', 'timed_out', 'not_confident', 'not_connected', 'declined', 'taken_over']),
  confidence: z.number().nullable(),
  detail: z.string(),
})
export type Attempt = z.infer<typeof attempt>
