import { Problem } from '../../shared/errors.ts'
import { asDockerProblem } from '../docker/docker-problem.ts'
import type { DockerEngine } from '../docker/engine.ts'
import { ContainerSource } from './container-source.ts'
import { ContainerList, type LogContainer } from './containers.ts'
import { Feed } from './feed.ts'
import { adspowerSource, type LogPlaces, systemSource } from './other-sources.ts'
import type { History, HistoryQuery, LineSource } from './sources.ts'

/** Services of ours: their lines are waited for when their containers are not there yet. */
const ownServices = new Set(['api', 'worker', 'deploy-server'])

export interface LogsParts {
  engine: DockerEngine
  places: LogPlaces
  dataDir: string
  /** Where Docker was looked for: part of the answer when it is not there. */
  env: NodeJS.ProcessEnv
}

/** Everything with a log on this machine, by the name people know it by. */
export class LogsService {
  readonly #parts: LogsParts
  readonly #list: ContainerList
  readonly #feeds = new Map<string, Feed>()

  constructor(parts: LogsParts) {
    this.#parts = parts
    this.#list = new ContainerList(parts.engine)
  }

  async history(service: string, query: HistoryQuery): Promise<History> {
    const { source } = await this.#find(service, 'there')
    // A container can go while its log is read.
    return source.history(query).catch((error: unknown) => {
      throw error instanceof Problem ? error : asDockerProblem(error, this.#parts.env)
    })
  }

  /** The one stream of a service that all its readers share; a problem when there is no such service. */
  async feed(service: string): Promise<Feed> {
    const { source, key } = await this.#find(service, 'expected')
    let feed = this.#feeds.get(key)
    if (feed === undefined) {
      feed = new Feed(source, () => this.#feeds.delete(key))
      this.#feeds.set(key, feed)
    }
    return feed
  }

  async #find(service: string, which: 'there' | 'expected'): Promise<{ source: LineSource; key: string }> {
    if (service === 'system') return { source: systemSource(this.#parts.places, this.#parts.dataDir), key: service }
    if (service === 'adspower') return { source: adspowerSource(this.#parts.places), key: service }
    const containers = await this.#list.refresh().catch((error: unknown) => {
      throw error instanceof Problem ? error : asDockerProblem(error, this.#parts.env)
    })
    const labelled = containers.some((container) => container.service === service)
    const named = containers.some((container) => container.name === service)
    if (labelled || (ownServices.has(service) && which === 'expected' && !named)) {
      return this.#containers(service, true, (container) => container.service === service)
    }
    if (named) return this.#containers(service, false, (container) => container.name === service)
    const byId = /^[0-9a-f]{12,64}$/.test(service)
      ? containers.find((container) => container.id.startsWith(service))
      : undefined
    if (byId !== undefined) return this.#containers(service, false, (container) => container.id === byId.id)
    throw new Problem('not-found', unknownService(service, containers))
  }

  #containers(service: string, several: boolean, matches: (container: LogContainer) => boolean) {
    const { engine } = this.#parts
    const source = new ContainerSource({ engine, list: this.#list, service, several, matches })
    return { source, key: `container ${service}` }
  }
}

function unknownService(service: string, containers: readonly LogContainer[]): string {
  const names = [...new Set([...containers.flatMap((container) => container.service ?? []), 'system', 'adspower'])]
  const others = containers.map(({ name }) => name).slice(0, 20)
  return `There is no service or container "${service}" here. There are: ${[...names, ...others].join(', ')}.`
}
