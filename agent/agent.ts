import { contractVersion } from '../shared/contract/index.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { AuditLog } from './audit/audit.service.ts'
import { findChromium } from './browser/chromium.ts'
import { createBrowserParts } from './browser/parts.ts'
import type { Config } from './config.ts'
import type { DeployPause } from './deploys/journal.ts'
import { createDesktopParts } from './desktop/parts.ts'
import { createDockerParts } from './docker/parts.ts'
import { createEngineParts, type EnginePartsOptions } from './engines/parts.ts'
import { eventsSocket } from './events/events.routes.ts'
import { EventLog } from './events/events.service.ts'
import type { Log } from './log.ts'
import { logsRoutes, logsSocket } from './logs/logs.routes.ts'
import { LogsService } from './logs/logs.service.ts'
import { usualPlaces } from './logs/other-sources.ts'
import { createAdminParts } from './machine/admin-parts.ts'
import { inspectMachine, type MachineParts } from './machine/capabilities.ts'
import { agentIdentity } from './machine/identity.ts'
import { machineRoutes } from './machine/machine.routes.ts'
import { MetricsHistory } from './metrics/history.ts'
import { HistoryStore } from './metrics/history-store.ts'
import { MetricsService } from './metrics/metrics.service.ts'
import type { PageLimits } from './pages/limits.ts'
import { screenshotRoutes } from './screenshot/screenshot.routes.ts'
import { createGuard } from './server/guard.ts'
import { checkBind } from './server/listen.ts'
import { Once } from './server/once.ts'
import { createCounters, type ServerParts } from './server/parts.ts'
import { type ServerLimits, startServer } from './server/server.ts'
import { Throttle } from './server/throttle.ts'
import { Tickets } from './server/tickets.ts'
import { lockFolder } from './storage/folder-lock.ts'
import { makeFolder } from './storage/make-folder.ts'
import { drawPage } from './timeline/draw-page.ts'
import { timelineRoutes } from './timeline/timeline.routes.ts'
import { TimelineService } from './timeline/timeline.service.ts'

export interface Agent {
  readonly agentId: string
  readonly socketPath: string | null
  readonly port: number | null
  /** Ends everything the agent started, then the agent. Safe to call twice. */
  stop(reason: string): Promise<void>
}

/** Programs come and go rarely; a console asks for them with every look. */
const inspectionKeptMs = 10_000

export interface AgentHooks {
  /** For tests that end the agent at a chosen moment of a deploy. */
  pauseDeploy?: DeployPause
  /** Reads the configuration again, when someone asks for that. */
  readConfig?: () => Config
  /** How long another agent may take to leave the folder. */
  waitForFolderMs?: number
  /** For tests that wait until a limit has passed. */
  limits?: ServerLimits
  /** For tests of what happens when time is up, or when an engine is not what it should be. */
  pageLimits?: PageLimits
  engines?: Pick<EnginePartsOptions, 'kinds' | 'times'>
}

/** Starts the agent in its folder, which is no other agent's meanwhile. */
export async function startAgent(config: Config, secret: string, log: Log, hooks: AgentHooks = {}): Promise<Agent> {
  checkBind(config)
  makeFolder(config.dataDir, 0o700, 'PILOTHOUSE_DATA_DIR')
  const release = await lockFolder(config.dataDir, hooks.waitForFolderMs ?? 0)
  try {
    return await putTogether(config, secret, log, hooks, release)
  } catch (error) {
    release()
    throw error
  }
}

async function putTogether(
  config: Config,
  secret: string,
  log: Log,
  hooks: AgentHooks,
  release: () => void,
): Promise<Agent> {
  let port: number | null = null
  const agentId = agentIdentity(config.dataDir)
  const audit = new AuditLog(config.dataDir, log)
  const events = new EventLog(config.dataDir, log)
  const browser = createBrowserParts({
    ...{ dataDir: config.dataDir, uploadDir: config.uploadDir, publish: events.publish, audit, log },
    ...{ restart: config.browserRestart, existingDisplay: config.existingDisplay, adspower: config.adspower },
    pageLimits: hooks.pageLimits,
  })
  const desktop = createDesktopParts(browser, { dataDir: config.dataDir, log, recordings: config.recordings })
  const timeline = new TimelineService({
    ...{ dataDir: config.dataDir, events, audit, log, draw: () => drawPage(browser.browser) },
    recordings: () => desktop.recordings.list(),
  })
  const engines = createEngineParts({
    ...{ browserParts: browser, dataDir: config.dataDir, uploadDir: config.uploadDir, models: config.models },
    ...{ leaseExpiry: config.leaseExpiry, publish: events.publish, log, hatchetToken: config.hatchetToken },
    ...hooks.engines,
    cdpUrl: () => (port === null ? null : `ws://127.0.0.1:${port}/v1/browser/cdp`),
  })
  const docker = createDockerParts({
    ...{ config, publish: events.publish, audit, log },
    troubles: () => [browser.browser.trouble, audit.writable.look()].filter((trouble) => trouble !== undefined),
    onTrouble: (listener) => {
      const stops = [browser.browser.onTrouble(listener), audit.writable.onChange(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
    pauseDeploy: hooks.pauseDeploy,
  })
  const admin = createAdminParts({
    ...{ config, readConfig: hooks.readConfig ?? (() => config), secret, audit, log },
    prepareRestart: (operator) => docker.deploys.prepareReapply(operator),
  })
  const logs = new LogsService({
    engine: docker.engine,
    places: usualPlaces(process.env),
    dataDir: config.dataDir,
    env: config.dockerEnv,
  })
  const metrics = new MetricsService(config.dataDir)
  const history = new MetricsHistory({
    ...{ store: new HistoryStore(config.dataDir), metrics: new MetricsService(config.dataDir), log },
    containers: docker.containerUses,
  })
  const counters = createCounters()
  const tickets = new Tickets()
  const inspection = new Kept(
    () => inspectMachine(docker.engine, config.dockerEnv, config.adspower.url, findChromium(), engines.hatchet()),
    inspectionKeptMs,
  )
  let stopping: Promise<void> | undefined

  const machine = machineRoutes({
    agentId,
    machineType: config.machineType,
    metrics,
    history,
    tickets,
    inspect: () => inspection.read(),
    health: docker.health,
    deployedTag: () => docker.deploys.deployedTag,
    counters: () => [
      { name: 'requests', help: 'Requests and upgrades answered.', value: counters.requests },
      { name: 'problems', help: 'Of these, with a problem.', value: counters.problems },
      { name: 'unauthorized', help: 'Of these, without the right secret.', value: counters.unauthorized },
      { name: 'sockets_opened', help: 'WebSockets opened.', value: counters.socketsOpened },
      { name: 'events', help: 'Events published since the agent was installed.', value: events.lastSeq },
      { name: 'audit_links', help: 'Links of the audit chain.', value: audit.size },
      ...admin.counters(),
    ],
    gauges: () => [
      { name: 'sockets_open', help: 'WebSockets open now.', value: counters.socketsOpen },
      { name: 'viewers', help: 'People watching the live view.', value: browser.viewers.count },
      { name: 'browser_active', help: 'Whether the browser runs.', value: browser.browser.session === null ? 0 : 1 },
      ...admin.gauges(),
    ],
  })
  const parts: ServerParts = {
    guard: createGuard([...config.hostNames, ...config.bind.map((address) => address.host)]),
    checker: admin.checker,
    throttle: new Throttle(),
    tickets,
    once: new Once(audit),
    audit,
    handlers: {
      ...machine,
      'machine.health': async () => ({ ...(await docker.health.health()), openTerminals: admin.openTerminals }),
      ...auditRoutes(audit),
      ...browser.handlers,
      ...engines.handlers,
      ...desktop.handlers,
      ...docker.handlers,
      ...admin.handlers,
      ...screenshotRoutes(browser, desktop.service),
      ...logsRoutes(logs),
      ...timelineRoutes(timeline),
    },
    sockets: { ...eventsSocket(events, agentId, metrics), ...browser.sockets, ...admin.sockets, ...logsSocket(logs) },
    counters,
    stopping: () => stopping !== undefined,
    log,
  }
  const close = async () => {
    engines.close()
    history.close()
    await timeline.close()
    events.close()
    audit.close()
  }
  const server = await startServer(config, parts, hooks.limits).catch(async (error: unknown) => {
    await close()
    throw error
  })
  port = server.port
  // Whoever is told that Docker came or went asks at once.
  docker.engine.onChange(() => inspection.forget())
  docker.start()
  engines.start()
  history.start()
  events.publish('agent_started', { agentVersion: contractVersion })

  return {
    agentId,
    socketPath: server.socketPath,
    port: server.port,
    stop(reason) {
      stopping ??= (async () => {
        events.publish('agent_stopping', { reason })
        await engines.stop()
        await Promise.all([desktop.close(), browser.close(), docker.close(), admin.close()])
        await server.close()
        await close()
        release()
      })()
      return stopping
    },
  }
}

/** The same answer for a while; callers at the same time share one look. */
class Kept {
  readonly #look: () => Promise<MachineParts>
  readonly #keptMs: number
  #latest: { at: number; answer: Promise<MachineParts> } | undefined

  constructor(look: () => Promise<MachineParts>, keptMs: number) {
    this.#look = look
    this.#keptMs = keptMs
  }

  read(): Promise<MachineParts> {
    if (this.#latest === undefined || performance.now() - this.#latest.at > this.#keptMs)
      this.#latest = { at: performance.now(), answer: this.#look() }
    return this.#latest.answer
  }

  forget(): void {
    this.#latest = undefined
  }
}
