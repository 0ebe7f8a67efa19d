import type { Config } from '../config.ts'
import { BuildService } from '../deploys/build.service.ts'
import { DeployStore } from '../deploys/deploy-store.ts'
import { deploysRoutes } from '../deploys/deploys.routes.ts'
import { type DeploysOptions, DeploysService } from '../deploys/deploys.service.ts'
import type { DeployPause } from '../deploys/journal.ts'
import { ServicesFile } from '../deploys/services-file.ts'
import type { ServiceName } from '../deploys/services-schema.ts'
import type { Publish } from '../events/publish.ts'
import { HealthService } from '../health/health.service.ts'
import { watchHealth } from '../health/health-watch.ts'
import type { Log } from '../log.ts'
import { Containers } from '../workers/containers.ts'
import { workersRoutes } from '../workers/workers.routes.ts'
import { WorkersService } from '../workers/workers.service.ts'
import { ContainerLoads } from './container-load.ts'
import { containersRoutes } from './containers.routes.ts'
import { DockerEngine } from './engine.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { DockerOperations } from './operations.ts'

const foreignStopLimitMs = 10_000

export interface DockerPartsOptions {
  config: Config
  publish: Publish
  audit: DeploysOptions['audit']
  log: Log
  /** Of the parts that are not containers. */
  troubles: () => readonly string[]
  onTrouble: (listener: () => void) => () => void
  pauseDeploy?: DeployPause | undefined
}

/** Docker, deploys, workers and the health that follows from them, wired together. */
export function createDockerParts(options: DockerPartsOptions) {
  const { config, publish, audit, log, troubles, onTrouble, pauseDeploy } = options
  const engine = new DockerEngine(config.dockerEnv, log)
  const docker = new DockerOperations(engine, config.dockerEnv)
  const files = new ServicesFile(config.servicesFile, config.envFile)
  const containers = new Containers(docker, files)
  const lock = new OneAtATime()
  const store = new DeployStore(config.dataDir)
  const deploys = new DeploysService({
    ...{ engine, docker, files, containers, lock, store, publish, audit, log },
    pause: pauseDeploy,
  })
  const builds = new BuildService({ docker, files, publish })
  const { refuseDuringDeploy, drainedByHand } = deploys
  const workers = new WorkersService({
    ...{ docker, containers, services: files, lock, refuseDuringDeploy, drainedByHand },
    deployedImage: () => deploys.deployedImage('worker'),
  })
  const health = new HealthService({
    ...{ engine, containers, deploys, troubles },
    mustBeThere: () =>
      deploys.deployedServices.filter((name) => files.read().services[name as ServiceName]?.create === 'always'),
  })
  const loads = new ContainerLoads(docker)
  let stopWatching = () => {}
  let stopRecovering = () => {}
  return {
    engine,
    deploys,
    health,
    /** What each container takes, since this was last asked. An engine that does not answer is not waited for. */
    containerUses: async () => {
      const found = engine.up ? await loads.read() : []
      return found.map(({ name, cpuPercent, memoryMb }) => ({ name, cpu: cpuPercent, memoryMb }))
    },
    handlers: {
      ...containersRoutes({
        ...{ docker, lock, refuseDuringDeploy },
        stopLimitMs: (service) => files.read().services[service as ServiceName]?.stopLimitMs ?? foreignStopLimitMs,
      }),
      ...workersRoutes(workers),
      ...deploysRoutes(deploys, builds),
    },
    /** Once the agent listens, and so is the only one of this machine. */
    start() {
      stopWatching = watchHealth({ service: health, engine, onTrouble, publish, log })
      stopRecovering = engine.onChange((up) => {
        const failed = (error: unknown) =>
          log('warn', 'what a start left could not be settled', { error: String(error) })
        if (up) workers.recover().catch(failed)
      })
      deploys.recover()
    },
    /** Lets go of Docker; containers go on without the agent. */
    async close() {
      stopWatching()
      stopRecovering()
      builds.close()
      await deploys.close()
      engine.close()
      store.close()
    },
  }
}
export type DockerParts = ReturnType<typeof createDockerParts>
