import { platforms } from '../../shared/domain/platforms.ts'
import { type Driver, driverName, type EngineMode, type EngineName } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { Handlers } from '../server/handlers.ts'
import type { LeaseService } from '../takeover/lease.service.ts'
import type { SandboxController } from './controller.ts'
import type { EngineSettingsStore } from './engine-config.ts'
import type { EngineRunner } from './runner.ts'
import { readStats } from './stats.ts'
import type { EngineStore } from './store.ts'

type EngineCall =
  | 'engine.get'
  | 'engine.connect'
  | 'engine.switch'
  | 'engine.release'
  | 'engine.run'
  | 'engine.history'
  | 'engine.config'
  | 'engine.setConfig'
  | 'engine.stats'

export interface EngineRouteParts {
  controller: SandboxController
  runner: EngineRunner
  settings: EngineSettingsStore
  store: EngineStore
  leases: LeaseService
}

export function enginesRoutes(parts: EngineRouteParts): Pick<Handlers, EngineCall> {
  const { controller, runner, settings, store, leases } = parts
  return {
    'engine.get': () => {
      const { seat, paused, state } = controller
      const lease = leases.current
      const driver = lease !== null ? { engine: 'human', mode: null } : (seat?.driver ?? { engine: 'none', mode: null })
      return {
        ...driver,
        ...{ state, lease, paused },
        since: lease?.takenAt ?? seat?.since ?? null,
        failures: seat?.failures ?? 0,
        cascadeLevel: runner.running?.level ?? null,
        switching: state === 'changing',
        runId: runner.running?.runId ?? null,
        refused: controller.refused,
      }
    },
    'engine.connect': async (params, context) => {
      const driver = chosen(params.engine, params.mode)
      context.note({ change: 'connect', engine: driverName(driver) })
      const { seat, url } = await controller.connect(driver)
      return { ...driver, since: seat.since, url }
    },
    'engine.switch': async ({ to, mode, reason }, context) => {
      const driver = chosen(to, mode)
      context.note({ change: 'switch', to: driverName(driver), reason })
      const { era } = controller
      const others = runner
        .planFor(await runner.detect())
        .levels.flatMap((level): Driver[] =>
          level.engine === 'human' || driverName(level) === driverName(driver)
            ? []
            : [{ engine: level.engine, mode: level.mode }],
        )
      return controller.switchTo([driver, ...others], { reason: 'operator', detail: reason, runId: null }, era)
    },
    'engine.release': async ({ force }, context) => {
      context.note({ change: 'release', force })
      if (force) runner.cancel('The engine was released by force.')
      return controller.release(force)
    },
    'engine.run': async (params, context) => {
      const result = await runner.run(params)
      context.note({ runId: result.runId, engine: result.engine, attempts: result.attempts.length })
      return result
    },
    'engine.history': ({ limit }) => ({ switches: store.switches(limit) }),
    'engine.config': () => settings.config,
    'engine.setConfig': (params, context) => {
      context.note({ change: 'config', parts: Object.keys(params) })
      return settings.set(params)
    },
    'engine.stats': ({ since }) => ({
      ...readStats(store.database, since),
      orders: platforms.map((platform) => {
        const { levels, rule, why } = runner.planFor(platform)
        return { platform, first: levels[0] === undefined ? 'none' : driverName(levels[0]), rule, why }
      }),
    }),
  }
}

function chosen(engine: EngineName, mode: Exclude<EngineMode, null> | undefined): Driver {
  if (engine === 'stagehand') return { engine, mode: mode ?? 'dom' }
  if (mode !== undefined) throw new Problem('invalid-params', `mode: ${engine} has none. Leave it out.`)
  return { engine, mode: null }
}
