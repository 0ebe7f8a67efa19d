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

const containerKey = 'container '

/** Whether a service of ours must have a container, or may get one later. */
type Which = 'there' | 'expected'

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
    const { source, key } = await this.#find(service, 'there')
    try {
      return await source.history(query)
    } catch (error) {
      if (!key.startsWith(containerKey)) return this.#asProblem(error)
    }
    // A container can go while its log is read, or a moment before Docker says so: once more, with what is there now.
    const again = this.#mustBeAmong(await this.#refresh(), service, 'there')
    return again.source.history(query).catch((error: unknown) => this.#asProblem(error))
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

  async #find(service: string, which: Which): Promise<{ source: LineSource; key: string }> {
    if (service === 'system') return { source: systemSource(this.#parts.places, this.#parts.dataDir), key: service }
    if (service === 'adspower') return { source: adspowerSource(this.#parts.places), key: service }
    const known = await this.#list.current().catch((error: unknown) => this.#asProblem(error))
    return this.#among(known, service, which) ?? this.#mustBeAmong(await this.#refresh(), service, which)
  }

  #mustBeAmong(containers: readonly LogContainer[], service: string, which: Which) {
    const found = this.#among(containers, service, which)
    if (found === undefined) throw new Problem('not-found', unknownService(service, containers))
    return found
  }

  #among(containers: readonly LogContainer[], service: string, which: Which) {
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
    return undefined
  }

  #refresh(): Promise<readonly LogContainer[]> {
    return this.#list.refresh().catch((error: unknown) => this.#asProblem(error))
  }

  #asProblem(error: unknown): never {
    throw error instanceof Problem ? error : asDockerProblem(error, this.#parts.env)
  }

  #containers(service: string, several: boolean, matches: (container: LogContainer) => boolean) {
    const { engine } = this.#parts
    const source = new ContainerSource({ engine, list: this.#list, service, several, matches })
    return { source, key: `${containerKey}${service}` }
  }
}

function unknownService(service: string, containers: readonly LogContainer[]): string {
  const names = [...new Set([...containers.flatMap((container) => container.service ?? []), 'system', 'adspower'])]
  const others = containers.map(({ name }) => name).slice(0, 20)
  return `There is no service or container "${service}" here. There are: ${[...names, ...others].join(', ')}.`
}
