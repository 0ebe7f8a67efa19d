import { backoff } from '../../shared/client/backoff.ts'
import type { AgentClient } from '../../shared/client/client.ts'
import type { PowerAction, PowerState, PowerView } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'
import { type Clock, sleep } from '../clock.ts'
import type { MachineDeps } from '../fleet/machine-deps.ts'
import type { Ended, Observation, Provider } from '../providers/provider.ts'
import type { MachineRecord } from '../store/machines.ts'

/** What the provider says about whether the machine can be alive at all. */
export type PowerTruth =
  | { kind: 'none' }
  | { kind: 'on'; observation: Observation }
  | { kind: 'off'; observation: Observation }
  | { kind: 'gone'; problem: Problem; ended?: Ended | undefined }
  | { kind: 'unknown'; problem: Problem }

export interface MachinePowerDeps {
  clock: Clock
  cost: (instanceType: string | null) => PowerView['costPerHour']
  onObserved: (observation: Observation) => void
}

/** Between two looks at a machine that is on its way up or down. */
const looks = { firstMs: 1500, maxMs: 10_000 }

/** One machine's power: asks the provider, does what a person wants, and remembers what was said. */
export class MachinePower {
  readonly provider: Provider | undefined
  readonly #deps: MachinePowerDeps
  #latest: { observation: Observation; at: number } | undefined
  #problem: Problem | undefined
  #asking: Promise<PowerTruth> | undefined

  constructor(provider: Provider | undefined, deps: MachinePowerDeps) {
    this.provider = provider
    this.#deps = deps
  }

  /** The provider's word, not older than that. */
  observe(maxAgeMs: number): Promise<PowerTruth> {
    const { provider } = this
    if (provider?.describe === undefined) return Promise.resolve({ kind: 'none' })
    if (this.#latest !== undefined && this.#deps.clock.now() - this.#latest.at < maxAgeMs) {
      return Promise.resolve(truthOf(this.#latest.observation))
    }
    this.#asking ??= this.#ask(provider).finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** Begins what a person wants; a kind of machine that cannot says so. */
  async act(action: PowerAction, name: string): Promise<void> {
    const { provider } = this
    const act = provider?.[action]
    if (provider === undefined || act === undefined) throw cannot(action, name, provider)
    await act.call(provider)
    this.#latest = undefined
  }

  /** Looks until the provider says so; throws when it takes too long, or the way back is barred. */
  async settle(wanted: readonly PowerState[], limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.provider?.describe === undefined) return
    const until = this.#deps.clock.now() + limitMs
    const wait = backoff(looks)
    while (!signal.aborted) {
      const truth = await this.observe(0)
      if ('observation' in truth && wanted.includes(truth.observation.state)) return
      if (truth.kind === 'gone') throw truth.problem
      // No permission stays no permission; a throttled or silent AWS may come back.
      if (truth.kind === 'unknown' && ['forbidden', 'unauthorized'].includes(truth.problem.code)) throw truth.problem
      if (this.#deps.clock.now() >= until) {
        const now = 'observation' in truth ? truth.observation.state : 'not known'
        throw new Problem(
          'timeout',
          `${this.provider.name} still says ${now}, not ${wanted.join(' or ')}. Look again in a while.`,
        )
      }
      await sleep(this.#deps.clock, wait.next(), signal)
    }
    throw new Problem('cancelled', 'Nobody waits for it any more.')
  }

  view(known: Pick<MachineRecord, 'powerState' | 'instanceType'>, connected: boolean): PowerView {
    const { provider } = this
    const observed = this.#latest?.observation.state
    // Where only the agent can say, its answer is the proof that the machine is on.
    const state =
      provider?.describe === undefined
        ? connected
          ? 'running'
          : 'unknown'
        : (observed ?? known.powerState ?? 'unknown')
    return {
      state: state as PowerState,
      at: this.#latest === undefined ? null : new Date(this.#latest.at).toISOString(),
      problem: this.#problem === undefined ? null : { code: this.#problem.code, detail: this.#problem.message },
      actions: [...(provider?.actions ?? [])],
      instanceType: known.instanceType,
      costPerHour: this.#deps.cost(known.instanceType),
    }
  }

  async #ask(provider: Provider): Promise<PowerTruth> {
    try {
      const observation = await provider.describe?.()
      if (observation === undefined) return { kind: 'none' }
      this.#latest = { observation, at: this.#deps.clock.now() }
      this.#problem = undefined
      this.#deps.onObserved(observation)
      return truthOf(observation)
    } catch (error) {
      const problem = Problem.from(error, 'unreachable')
      this.#problem = problem
      return problem.code === 'not-found' ? { kind: 'gone', problem } : { kind: 'unknown', problem }
    }
  }
}

/** The power of one machine, from what is set for it. */
export function makePower(
  deps: Pick<MachineDeps, 'makeProvider' | 'clock' | 'cost'>,
  record: MachineRecord,
  agent: () => AgentClient,
  onObserved: (observation: Observation) => void,
): MachinePower {
  return new MachinePower(deps.makeProvider(record, agent), { clock: deps.clock, cost: deps.cost, onObserved })
}

const endWords: Record<Ended | 'unsaid', string> = {
  manual: 'EC2 says that someone terminated the instance.',
  expired: 'EC2 says that the instance was terminated at the end of its time.',
  unsaid: 'EC2 says the instance was terminated.',
}

function truthOf(observation: Observation): PowerTruth {
  switch (observation.state) {
    case 'terminated':
      return {
        kind: 'gone',
        problem: new Problem('not-found', endWords[observation.ended ?? 'unsaid'], { link: 'aws' }),
        ended: observation.ended,
      }
    case 'stopped':
    case 'stopping':
      return { kind: 'off', observation }
    case 'starting':
    case 'running':
      return { kind: 'on', observation }
    case 'unknown':
      return {
        kind: 'unknown',
        problem: new Problem('bad-answer', 'EC2 names a state that this console does not know.'),
      }
  }
}

function cannot(action: PowerAction, name: string, provider: Provider | undefined): Problem {
  if (provider?.kind === 'macos' && action === 'start') {
    return new Problem('conflict', `${name} has no hardware address for Wake-on-LAN. Enter it with Edit machine.`)
  }
  const next = action === 'start' ? 'Switch it on where it stands.' : 'Use a terminal on it.'
  return new Problem(
    'conflict',
    `The console cannot ${action} ${name}: it is no machine of that kind, or not set up as one. ${next}`,
  )
}
