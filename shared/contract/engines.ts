import { z } from 'zod'
import { platforms } from '../domain/platforms.ts'
import { engineModes, engineNames } from '../domain/switch-criteria.ts'
import { attempt, drivers, driverView } from './attempts.ts'
import { defineCall, defineEvent, openEnum } from './define.ts'
import { leaseView } from './takeover.ts'

export type { Attempt, DriverView } from './attempts.ts'

/** Who drives the browser, how one engine makes way for another, and what that came to. */

export const switchSteps = [
  'detect',
  'decide',
  'capture',
  'disconnect',
  'alive',
  'connect',
  'verify',
  'resume',
] as const

export const pageState = z.object({
  url: z.string(),
  title: z.string(),
  scroll: z.object({ x: z.number(), y: z.number() }),
  /** The field with the focus, as a selector; null when there is none. */
  focused: z.string().nullable(),
  tabs: z.array(z.object({ id: z.string(), url: z.string(), title: z.string() })),
  /** The tab in front: the one the next engine works in. */
  tabId: z.string().nullable(),
  /** False when the page itself did not answer and only its address is known. */
  complete: z.boolean(),
})
export type PageState = z.infer<typeof pageState>

export const switchRecord = z.object({
  id: z.number().int(),
  time: z.string(),
  runId: z.string().nullable(),
  from: driverView,
  to: driverView,
  reason: z.string(),
  detail: z.string(),
  pageState: pageState.nullable(),
  durationMs: z.number(),
  steps: z.array(
    z.object({
      step: openEnum(switchSteps),
      ms: z.number(),
      result: openEnum(['ok', 'failed', 'skipped']),
      detail: z.string().optional(),
    }),
  ),
  success: z.boolean(),
})
export type SwitchRecord = z.infer<typeof switchRecord>
export type SwitchStep = SwitchRecord['steps'][number]

const engineName = z.enum(engineNames)
const mode = z.enum(engineModes)
const limits = z.strictObject({
  failures: z.int().min(1).max(20),
  timeMs: z.int().min(100).max(600_000),
  confidence: z.number().min(0).max(1),
  /** Tries inside one attempt, for what failed before the page was touched: a model that stumbled, a lost answer. */
  retries: z.int().min(0).max(10).default(2),
})
const level = z
  .strictObject({
    engine: z.enum([...engineNames, 'human']),
    mode: mode.nullable().default(null),
    retries: z.int().min(0).max(10),
    timeMs: z.int().min(100).max(900_000),
  })
  .refine((one) => (one.engine === 'stagehand') === (one.mode !== null), {
    message: 'Stagehand needs a mode, dom or cua, and the others have none',
  })
const levels = z
  .array(level)
  .min(1)
  .max(8)
  .refine((all) => new Set(all.map((one) => `${one.engine}/${one.mode}`)).size === all.length, {
    message: 'an engine stands there twice',
  })
const model = z.strictObject({
  /** As the server calls it; Stagehand wants its provider before it: `openai/gpt-…`. */
  name: z.string().min(1).max(200),
  /** Address of an OpenAI-compatible server; null for the provider's own. */
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable(),
})
export type ModelSettings = z.infer<typeof model>

export const engineConfig = z.strictObject({
  limits: z.strictObject({ stagehand: limits, magnitude: limits }),
  cascade: z.strictObject({
    totalMs: z.int().min(1000).max(3_600_000),
    levels,
    platforms: z.partialRecord(z.enum(platforms), levels),
  }),
  /** The engine an operator wants first on a platform, whatever the history says. */
  pins: z.partialRecord(z.enum(platforms), z.enum(['stagehand/dom', 'stagehand/cua', 'magnitude'])),
  models: z.strictObject({ stagehand: model, cua: model, magnitude: model }),
})
export type EngineConfig = z.infer<typeof engineConfig>

const chosenEngine = { engine: engineName, mode: mode.optional() }

export const getEngine = defineCall({
  name: 'engine.get',
  method: 'GET',
  path: '/v1/engine',
  access: 'secret',
  summary: 'Who drives the browser now, since when, and what is going on.',
  result: () =>
    driverView.extend({
      state: openEnum(['idle', 'connected', 'changing', 'paused', 'stopped']),
      since: z.string().nullable(),
      failures: z.number().int(),
      lease: leaseView.nullable(),
      /** The engine that waits while a person has control. */
      paused: driverView.nullable(),
      /** Level of the cascade that is being tried, counted from 1; null when no operation runs. */
      cascadeLevel: z.number().int().nullable(),
      switching: z.boolean(),
      runId: z.string().nullable(),
      /** Commands of engines that were refused, while a person had control or because engines may never send them. */
      refused: z.number().int(),
    }),
})

const changing = [
  'not-active',
  'held-by-operator',
  'install-required',
  'browser-died',
  'engine-failed',
  'controller-busy',
  'conflict',
  'timeout',
] as const

export const connectEngine = defineCall({
  name: 'engine.connect',
  method: 'POST',
  path: '/v1/engine/connect',
  access: 'secret',
  summary: 'Connects an engine to the running browser.',
  params: () => z.strictObject(chosenEngine),
  result: () => driverView.extend({ since: z.string(), url: z.string() }),
  problems: changing,
  audit: 'engine_switch',
})

export const switchEngine = defineCall({
  name: 'engine.switch',
  method: 'POST',
  path: '/v1/engine/switch',
  access: 'secret',
  summary: 'Changes the engine; the browser goes on as it is.',
  params: () =>
    z.strictObject({ to: engineName, mode: mode.optional(), reason: z.string().max(500).default('asked for') }),
  result: switchRecord,
  problems: changing,
  audit: 'engine_switch',
})

export const releaseEngine = defineCall({
  name: 'engine.release',
  method: 'POST',
  path: '/v1/engine/release',
  access: 'secret',
  summary: 'Disconnects the engine; with `force` at once, whatever it is doing and whoever waits.',
  params: () => z.strictObject({ force: z.boolean().default(false) }),
  result: () => z.object({ released: z.boolean(), cancelled: z.number().int() }),
  // Of whoever waits for a change that is under way.
  problems: ['held-by-operator', 'browser-died', 'conflict'],
  audit: 'engine_switch',
})

export const runEngine = defineCall({
  name: 'engine.run',
  method: 'POST',
  path: '/v1/engine/run',
  access: 'secret',
  summary: 'Has an engine do something; with `cascade` the next one tries when one fails, and a person last.',
  params: () =>
    z.strictObject({
      instruction: z.string().min(1).max(4000),
      kind: z.enum(['act', 'observe', 'extract']).default('act'),
      platform: z.enum(platforms).optional(),
      schema: z.record(z.string(), z.unknown()).optional().describe('JSON schema of what to extract'),
      cascade: z.boolean().default(true),
    }),
  result: () =>
    z.object({
      runId: z.string(),
      success: z.boolean(),
      engine: openEnum(drivers),
      mode: openEnum(engineModes).nullable(),
      data: z.unknown(),
      confidence: z.number().nullable(),
      platform: openEnum(platforms),
      /** Why this engine came first. */
      order: z.object({ rule: openEnum(['pinned', 'history', 'table', 'current']), why: z.string() }),
      attempts: z.array(attempt),
      durationMs: z.number(),
    }),
  problems: ['not-active', 'held-by-operator', 'engine-failed', 'browser-died', 'conflict', 'controller-busy'],
  audit: 'act',
  secretParams: ['instruction'],
})

export const engineHistory = defineCall({
  name: 'engine.history',
  method: 'GET',
  path: '/v1/engine/history',
  access: 'secret',
  summary: 'Switch records, the newest first.',
  params: () => z.strictObject({ limit: z.int().min(1).max(1000).default(50) }),
  result: () => z.object({ switches: z.array(switchRecord) }),
})

export const getEngineConfig = defineCall({
  name: 'engine.config',
  method: 'GET',
  path: '/v1/engine/config',
  access: 'secret',
  summary: 'Limits, cascade, pins and models.',
  result: engineConfig,
})

export const putEngineConfig = defineCall({
  name: 'engine.setConfig',
  method: 'PUT',
  path: '/v1/engine/config',
  access: 'secret',
  summary: 'Replaces the parts that are given; kept across a restart.',
  params: engineConfig.partial(),
  result: engineConfig,
  problems: ['invalid-params'],
  audit: 'engine_switch',
})

const times = { operations: z.number().int(), successRate: z.number(), meanMs: z.number(), p95Ms: z.number() }

export const engineStats = defineCall({
  name: 'engine.stats',
  method: 'GET',
  path: '/v1/engine/stats',
  access: 'secret',
  summary: 'How the engines did: by platform, by pair of a switch, by run.',
  params: () => z.strictObject({ since: z.iso.datetime({ offset: true }).optional() }),
  result: () =>
    z.object({
      since: z.string().nullable(),
      engines: z.array(z.object({ engine: z.string(), mode: z.string().nullable(), platform: z.string(), ...times })),
      switches: z.array(
        z.object({
          from: z.string(),
          to: z.string(),
          count: z.number().int(),
          failed: z.number().int(),
          meanMs: z.number(),
        }),
      ),
      runs: z.object({
        count: z.number().int(),
        switchesPerRun: z.number(),
        reasons: z.array(z.object({ reason: z.string(), count: z.number().int() })),
      }),
      takeovers: z.object({
        count: z.number().int(),
        meanRequestToAcceptedMs: z.number().nullable(),
        meanAcceptedToControlMs: z.number().nullable(),
        meanHandBackToActingMs: z.number().nullable(),
      }),
      /** Which engine would be first on each platform now, and why. */
      orders: z.array(z.object({ platform: z.string(), first: z.string(), rule: z.string(), why: z.string() })),
    }),
})

export const engineCalls = [
  getEngine,
  connectEngine,
  switchEngine,
  releaseEngine,
  runEngine,
  engineHistory,
  getEngineConfig,
  putEngineConfig,
  engineStats,
] as const

export const engineEvents = [
  defineEvent('engine_connected', driverView.extend({ url: z.string(), durationMs: z.number() })),
  defineEvent('engine_disconnected', driverView.extend({ reason: z.string() })),
  defineEvent('engine_switch', z.object({ record: switchRecord })),
  defineEvent(
    'engine_failure',
    driverView.extend({ runId: z.string().nullable(), failuresInRow: z.number().int(), detail: z.string() }),
  ),
  defineEvent('engine_operation', z.object({ runId: z.string(), kind: z.string(), platform: z.string(), attempt })),
  defineEvent(
    'cascade_escalation',
    z.object({ runId: z.string(), level: z.number().int(), from: driverView, to: driverView, reason: z.string() }),
  ),
  defineEvent(
    'engine_switch_recovery',
    z.object({
      runId: z.string().nullable(),
      engine: z.string(),
      urlBefore: z.string(),
      urlAfter: z.string(),
      sameUrl: z.boolean(),
      platform: z.string(),
      fields: z.number().int(),
      filled: z.number().int(),
      /** Where a form of several pages stands; null when it has one page. */
      formPage: z.object({ page: z.number().int(), of: z.number().int() }).nullable(),
    }),
  ),
] as const
