import { environments } from '../../../shared/domain/environments.ts'
import { readTagPattern } from '../../../shared/domain/tag-pattern.ts'
import { Problem, type ProblemCode } from '../../../shared/errors.ts'
import type { FeedConfig, FeedView, PendingTag } from '../../../shared/ipc-deploys.ts'
import { type Clock, isoTime } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import { DockerRegistry } from './docker-registry.ts'
import { type Environment, FeedStore } from './feed-store.ts'
import { findPending } from './find-pending.ts'
import type { ImageSource } from './image-source.ts'
import type { RegistryLogins } from './logins.ts'
import { type RegistryAccount, readAddress } from './registry-http.ts'

export interface FeedsDeps {
  store: Pick<Store, 'settings' | 'rollouts'>
  logins: RegistryLogins
  clock: Clock
  log: Log
  machinesIn: (environment: Environment) => number
  /** Begins a deploy of a tag that has just appeared; false when it has to wait. */
  deploy: (environment: Environment, config: FeedConfig, tag: PendingTag) => boolean
  onChanged: (view: FeedView) => void
  makeSource?: (config: FeedConfig, account: () => Promise<RegistryAccount | undefined>) => ImageSource
}

/** What a problem is called where a registry is meant, and not a machine. */
const titles: Partial<Record<ProblemCode, string>> = {
  unreachable: 'The registry cannot be reached',
  timeout: 'The registry does not answer',
  unauthorized: 'The registry does not let us in',
  'not-found': 'There is no such repository',
  'too-many-requests': 'The registry was asked too often',
  'bad-answer': 'That does not look like a registry',
}

interface Watch {
  cancelTimer: (() => void) | undefined
  looking: { done: Promise<void>; abort: AbortController } | undefined
  problem: Problem | undefined
  failures: number
  nextLookAt: number | undefined
}

const minuteMs = 60_000
/** However often it failed, it is asked once in so long. */
const longestMs = 60 * minuteMs
const testLimitMs = 15_000
/** One look, however many requests it takes. */
const lookLimitMs = 2 * minuteMs
/** Not at the start: the window comes first. */
const firstMs = 5000

/** Watches where new images come from, per environment. Without one set up, nothing is asked anywhere. */
export class Feeds {
  readonly #deps: FeedsDeps
  readonly #kept: FeedStore
  readonly #watches = new Map<Environment, Watch>()
  #started = false

  constructor(deps: FeedsDeps) {
    this.#deps = deps
    this.#kept = new FeedStore(deps.store)
  }

  start(): void {
    this.#started = true
    for (const environment of environments) {
      if (this.#kept.read(environment).config !== null) this.#plan(environment, firstMs)
    }
  }

  stop(): void {
    this.#started = false
    for (const watch of this.#watches.values()) {
      watch.cancelTimer?.()
      watch.looking?.abort.abort()
    }
  }

  list(): Promise<FeedView[]> {
    return Promise.all(environments.map((environment) => this.view(environment)))
  }

  async view(environment: Environment): Promise<FeedView> {
    const { config, lookedAt, pending } = this.#kept.read(environment)
    const { looking, problem, nextLookAt } = this.#watch(environment)
    return {
      ...{ environment, config, lookedAt, pending, machines: this.#deps.machinesIn(environment) },
      loginSince: config === null ? null : await this.#deps.logins.since(environment).catch(() => null),
      looking: looking !== undefined,
      nextLookAt: nextLookAt === undefined ? null : new Date(nextLookAt).toISOString(),
      problem:
        problem === undefined
          ? null
          : {
              code: problem.code,
              title: titles[problem.code] ?? 'The registry could not be read',
              detail: problem.message,
            },
    }
  }

  async set(environment: Environment, config: FeedConfig | null): Promise<FeedView> {
    if (config !== null) {
      const pattern = readTagPattern(config.pattern)
      if ('mistake' in pattern) throw new Problem('invalid-pattern', pattern.mistake)
      const { origin } = readAddress(config.address)
      config = { ...config, address: origin }
    }
    this.#kept.configure(environment, config)
    const watch = this.#watch(environment)
    watch.looking?.abort.abort()
    watch.looking = undefined
    watch.problem = undefined
    watch.failures = 0
    watch.cancelTimer?.()
    watch.nextLookAt = undefined
    if (config === null) await this.#deps.logins.remove(environment)
    else this.#plan(environment, 0)
    return this.#tell(environment)
  }

  async setLogin(environment: Environment, account: RegistryAccount): Promise<'keychain' | 'this-run'> {
    const { config } = this.#kept.read(environment)
    if (config === null) throw new Problem('conflict', 'Say first which registry the login is for.')
    const kept = await this.#deps.logins.set(environment, config.address, account)
    this.#plan(environment, 0)
    await this.#tell(environment)
    return kept
  }

  async removeLogin(environment: Environment): Promise<FeedView> {
    await this.#deps.logins.remove(environment)
    return this.#tell(environment)
  }

  /** Asks the registry with the login that is kept, and for nothing else: no tag becomes known, nothing is deployed. */
  async testLogin(environment: Environment): Promise<void> {
    const { config } = this.#kept.read(environment)
    if (config === null)
      throw new Problem('conflict', `No registry is set for ${environment} any more. Remove the login.`)
    const account = () => this.#deps.logins.get(environment, config.address)
    await (this.#deps.makeSource ?? makeRegistry)(config, account).tags(AbortSignal.timeout(testLimitMs))
  }

  async dismiss(environment: Environment, tag: string, digest: string): Promise<FeedView> {
    const feed = this.#kept.read(environment)
    const gone = `${tag}@${digest}`
    this.#kept.write(environment, {
      ...feed,
      pending: feed.pending.filter((one) => `${one.tag}@${one.digest}` !== gone),
      // The oldest are forgotten first: their tags have long been overtaken.
      dismissed: [...feed.dismissed.filter((one) => one !== gone), gone].slice(-200),
    })
    return this.#tell(environment)
  }

  /** A tag has arrived there: it and what is older than it is pending no more. */
  async deployed(environment: Environment, tag: string): Promise<void> {
    const feed = this.#kept.read(environment)
    const place = feed.pending.findIndex(({ deployAs }) => deployAs === tag)
    if (place === -1) return
    this.#kept.write(environment, { ...feed, pending: feed.pending.slice(0, place) })
    await this.#tell(environment)
  }

  /** Where an image comes from, as far as a registry said so when it was found. */
  originOf(environment: Environment, tag: string): Pick<PendingTag, 'commit' | 'message' | 'branch'> | undefined {
    return this.#kept.read(environment).pending.find(({ deployAs }) => deployAs === tag)
  }

  /** Looks now; a look that is under way is shared. */
  async look(environment: Environment): Promise<FeedView> {
    const watch = this.#watch(environment)
    if (this.#kept.read(environment).config === null) throw new Problem('conflict', 'No registry is set up for it.')
    watch.looking ??= this.#begin(environment, watch)
    await watch.looking.done
    return this.view(environment)
  }

  #begin(environment: Environment, watch: Watch): NonNullable<Watch['looking']> {
    watch.cancelTimer?.()
    watch.nextLookAt = undefined
    const [abort, late] = [new AbortController(), new AbortController()]
    const endLimit = this.#deps.clock.after(lookLimitMs, () => late.abort())
    const done = this.#look(environment, AbortSignal.any([abort.signal, late.signal]))
      .then(
        () => {
          watch.problem = undefined
          watch.failures = 0
        },
        (error: unknown) => {
          if (abort.signal.aborted) return
          watch.problem = late.signal.aborted
            ? new Problem('timeout', `It had not said after ${lookLimitMs / minuteMs} minutes which images it has.`)
            : Problem.from(error)
          watch.failures++
          this.#deps.log('warn', 'a registry could not be read', { environment, problem: watch.problem.toWire() })
        },
      )
      .finally(() => {
        endLimit()
        if (watch.looking?.abort === abort) watch.looking = undefined
        if (!abort.signal.aborted) this.#plan(environment)
        void this.#tell(environment)
      })
    queueMicrotask(() => void this.#tell(environment))
    return { done, abort }
  }

  async #look(environment: Environment, signal: AbortSignal): Promise<void> {
    const feed = this.#kept.read(environment)
    const { config } = feed
    if (config === null) return
    const account = () => this.#deps.logins.get(environment, config.address)
    const source = (this.#deps.makeSource ?? makeRegistry)(config, account)
    const deployed = new Set(
      this.#deps.store.rollouts
        .list({ environment, status: 'completed', limit: 50 })
        .filter(({ kind }) => kind === 'deploy')
        .map(({ tag }) => tag),
    )
    const at = isoTime(this.#deps.clock)
    const found = await findPending({ source, feed: { ...feed, config }, deployed, at, signal })
    // A person may have changed it while the registry was asked.
    const now = this.#kept.read(environment)
    signal.throwIfAborted()
    if (JSON.stringify(now.config) !== JSON.stringify(config)) return
    const gone = new Set(now.dismissed)
    const pending = found.pending.filter(({ tag, digest }) => !gone.has(`${tag}@${digest}`))
    const [newest] = found.fresh
    const waits = config.autoDeploy && newest !== undefined
    const known = waits ? withoutFresh(found.known, feed.known, newest) : found.known
    this.#kept.write(environment, { ...now, pending, known, lookedAt: at })
    if (!waits) return
    // Known before it is deployed: a console that is killed in between leaves it pending, and does not deploy it twice.
    this.#kept.write(environment, { ...now, pending, known: found.known, lookedAt: at })
    if (!this.#deps.deploy(environment, config, newest)) {
      this.#kept.write(environment, { ...now, pending, known, lookedAt: at })
    }
  }

  /** The next look: in its rhythm, or later and later while it fails. */
  #plan(environment: Environment, inMs?: number): void {
    const { config } = this.#kept.read(environment)
    const watch = this.#watch(environment)
    watch.cancelTimer?.()
    if (config === null || !this.#started) return
    const everyMs = config.everyMinutes * minuteMs
    const wished = watch.problem?.extra['retryAfterMs']
    const backedOff = Math.min(Math.max(longestMs, everyMs), everyMs * 2 ** Math.min(watch.failures, 10))
    const waitMs = inMs ?? Math.max(backedOff, typeof wished === 'number' ? wished : 0)
    watch.nextLookAt = this.#deps.clock.now() + waitMs
    watch.cancelTimer = this.#deps.clock.after(waitMs, () => void this.look(environment).catch(() => {}))
  }

  #watch(environment: Environment): Watch {
    const found = this.#watches.get(environment) ?? {
      ...{ cancelTimer: undefined, looking: undefined, problem: undefined, failures: 0, nextLookAt: undefined },
    }
    this.#watches.set(environment, found)
    return found
  }

  async #tell(environment: Environment): Promise<FeedView> {
    const view = await this.view(environment)
    this.#deps.onChanged(view)
    return view
  }
}

/** What has to wait counts as not seen yet, so that the next look finds it new again. */
function withoutFresh(now: Record<string, string>, before: Record<string, string>, { tag }: PendingTag) {
  const { [tag]: _waits, ...rest } = now
  return before[tag] === undefined ? rest : { ...rest, [tag]: before[tag] }
}

function makeRegistry(config: FeedConfig, account: () => Promise<RegistryAccount | undefined>): ImageSource {
  return new DockerRegistry(config, account)
}
