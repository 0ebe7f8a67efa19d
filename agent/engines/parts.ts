import type { Capability } from '../../shared/contract/machine.ts'
import type { Driver } from '../../shared/domain/switch-criteria.ts'
import type { BrowserParts } from '../browser/parts.ts'
import type { Publish } from '../events/publish.ts'
import { createJobs, type Jobs } from '../jobs/parts.ts'
import type { Log } from '../log.ts'
import { TakeoverRequests } from '../takeover/requests.service.ts'
import { takeoverRoutes } from '../takeover/takeover.routes.ts'
import { Takeovers } from '../takeover/takeover.service.ts'
import { browserPort } from './browser-port.ts'
import { type ControllerOptions, SandboxController } from './controller.ts'
import { EngineSettingsStore, type ModelDefaults } from './engine-config.ts'
import { enginesRoutes } from './engines.routes.ts'
import { recoverAfter } from './recovery.ts'
import { type EngineRegistry, engineKinds, loadEngine } from './registry.ts'
import { EngineRunner } from './runner.ts'
import { EngineStore } from './store.ts'

export interface EnginePartsOptions {
  browserParts: BrowserParts
  dataDir: string
  uploadDir: string
  models: ModelDefaults
  leaseExpiry: 'hand_back' | 'keep_paused'
  publish: Publish
  log: Log
  kinds?: EngineRegistry
  times?: ControllerOptions['limits']
  hatchetToken?: string | undefined
  cdpUrl?: () => string | null
}

export interface EngineParts {
  handlers: ReturnType<typeof enginesRoutes> & ReturnType<typeof takeoverRoutes> & Jobs['handlers']
  /** Whether Hatchet gives this machine jobs, or why not. */
  hatchet(): Capability
  /** Begins what reaches out by itself, once the agent can be reached. */
  start(): void
  /** Ends what runs. */
  stop(): Promise<void>
  close(): void
}

/** Engines, their cascade, the takeovers between them and people, and the jobs they do, wired together. */
export function createEngineParts(options: EnginePartsOptions): EngineParts {
  const { browserParts, dataDir, uploadDir, models, publish, log, kinds = engineKinds } = options
  const { browser, leases, viewers, cdpClients } = browserParts
  const store = new EngineStore(dataDir)
  const settings = new EngineSettingsStore(store, models)
  const port = browserPort(browser, cdpClients, uploadDir)
  const prepare = async (driver: Driver) => {
    const kind = kinds[driver.engine]
    await loadEngine(kind)
    const model = settings.config.models[driver.mode === 'cua' ? 'cua' : driver.engine]
    return () => kind.create(driver.mode, { model, apiKey: models.apiKey })
  }
  const controller = new SandboxController({
    ...{ browser: port, lease: () => leases.standing, prepare, publish, log },
    record(made) {
      const record = store.addSwitch(made)
      publish('engine_switch', { record })
      return record
    },
    recover: recoverAfter(port, publish),
    ...(options.times === undefined ? {} : { limits: options.times }),
  })
  const requests = new TakeoverRequests(publish)
  const runner = new EngineRunner({
    ...{ controller, browser: port, requests, store, publish, config: () => settings.config },
  })
  const takeovers = new Takeovers({
    ...{ leases, requests, engines: controller, expiry: options.leaseExpiry, publish, log },
    keep: (times) => store.addTakeover(times),
  })
  const { hatchetToken, cdpUrl = () => null } = options
  const jobs = createJobs({
    ...{ browser, leases, runner, requests, controller, port, uploadDir, store, publish, log, hatchetToken, cdpUrl },
  })
  browser.onEnd((reason) => {
    controller.browserEnded(reason)
    requests.cancelAll(`the browser ended: ${reason}`)
  })
  return {
    handlers: {
      ...enginesRoutes({ controller, runner, settings, store, leases }),
      ...takeoverRoutes({
        ...{ browser, leases, viewers, requests, takeovers, jobId: () => jobs.runningId },
        history: (operator, limit) => store.takeovers(operator, limit),
        driver: () => controller.seat?.driver ?? null,
      }),
      ...jobs.handlers,
    },
    hatchet: () => jobs.hatchet.capability,
    start: () => jobs.hatchet.start(),
    async stop() {
      controller.stop()
      requests.cancelAll('the agent is stopping')
      runner.cancel('the agent is stopping')
      await jobs.close()
    },
    close: () => store.close(),
  }
}
