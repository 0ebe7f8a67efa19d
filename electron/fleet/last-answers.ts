import { type CallName, type CallResult, callsByName } from '../../shared/contract/index.ts'
import { keepEntries } from '../../shared/domain/timeline/keep.ts'
import { type KeptCall, keptCalls } from '../../shared/ipc-machine.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'

/** More of one list than a person looks through offline. */
const maxEntries = 500
/** A machine cannot fill the disk with an answer. */
const maxBytes = 512 * 1024

export interface LastAnswersDeps {
  store: Pick<Store, 'answers'>
  clock: Clock
  log: Log
}

/** What machines last answered: kept as it passes by, so that it can be looked at when they are silent. */
export class LastAnswers {
  readonly #deps: LastAnswersDeps

  constructor(deps: LastAnswersDeps) {
    this.#deps = deps
  }

  /** Takes an answer if it is one that is kept: the whole list, not a search in it. */
  note(machineId: string, name: CallName, params: Record<string, unknown>, answer: unknown): void {
    if (!isKept(name) || !isPlain(params)) return
    const value = name === 'timeline.list' ? this.#timeline(machineId, answer) : shortened(name, answer)
    if (JSON.stringify(value).length > maxBytes) {
      this.#deps.log('warn', 'an answer is too large to be kept', { machine: machineId, call: name })
      return
    }
    this.#deps.store.answers.save(machineId, name, isoTime(this.#deps.clock), value)
  }

  /** What was kept, if this console still understands it. */
  get<Name extends KeptCall>(machineId: string, name: Name): { at: string; value: CallResult<Name> } | null {
    const kept = this.#deps.store.answers.get(machineId, name)
    if (kept === null) return null
    const checked = schemaOf(name).safeParse(kept.value)
    return checked.success ? { at: kept.at, value: checked.data as CallResult<Name> } : null
  }

  /** A timeline grows: what is told of a part of it is added to what is known of the rest. */
  #timeline(machineId: string, answer: unknown): CallResult<'timeline.list'> {
    const told = answer as CallResult<'timeline.list'>
    return { ...told, entries: keepEntries(this.get(machineId, 'timeline.list')?.value.entries ?? [], told.entries) }
  }

  all<Name extends KeptCall>(name: Name): { machineId: string; at: string; value: CallResult<Name> }[] {
    return this.#deps.store.answers.ofAll(name).flatMap(({ machineId, at, value }) => {
      const checked = schemaOf(name).safeParse(value)
      return checked.success ? [{ machineId, at, value: checked.data as CallResult<Name> }] : []
    })
  }
}

function schemaOf(name: KeptCall) {
  return callsByName[name].result
}

function isKept(name: string): name is KeptCall {
  return (keptCalls as readonly string[]).includes(name)
}

/** Filters and further pages say nothing of the whole. */
function isPlain(params: Record<string, unknown>): boolean {
  return Object.entries(params).every(
    ([key, value]) => value === undefined || key === 'pageSize' || key === 'limit' || (key === 'page' && value === 1),
  )
}

/** Values of variables are not written to this computer's disk, not even those whose names sound harmless. */
function shortened(name: KeptCall, answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.slice(0, maxEntries)
  if (name === 'env.get') {
    const { vars, ...rest } = answer as CallResult<'env.get'>
    return { ...rest, vars: Object.fromEntries(Object.keys(vars).map((key) => [key, ''])) }
  }
  const lists = Object.entries(answer as Record<string, unknown>)
  return Object.fromEntries(
    lists.map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, maxEntries) : value]),
  )
}
