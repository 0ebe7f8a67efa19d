import { deleteEnvVar, deleteEnvVars, duplicateKeys, setEnvVars } from '../../shared/domain/env-file.ts'
import { isSensitiveEnvKey } from '../../shared/domain/redaction.ts'
import { Problem } from '../../shared/errors.ts'
import { EnvStore } from './env-store.ts'
import { fingerprint } from './fingerprint.ts'

export interface EnvServiceOptions {
  /** Settings that can change while the agent runs are asked for each time. */
  file: () => string
  allowReveal: () => boolean
  salt: () => Buffer
  /** Looks whether the services can be restarted, or says why not; what it returns does it and names them. */
  prepareRestart: (operator: string | null) => Promise<() => Promise<string[]>>
}

/** Fingerprints by key; null for a key that was not there. */
type Expected = Record<string, string | null>

/** The variables beside the services. No sensitive value leaves here, except by `reveal`. */
export class EnvService {
  readonly #options: EnvServiceOptions
  readonly #store: EnvStore
  #writes = 0

  constructor(options: EnvServiceOptions) {
    this.#options = options
    this.#store = new EnvStore(options.file)
  }

  /** How often the file was changed since the agent started. */
  get writes(): number {
    return this.#writes
  }

  async list() {
    const { file, vars } = await this.#store.read()
    const salt = this.#options.salt()
    const shown = [...vars].map(([key, value]) => [key, isSensitiveEnvKey(key) ? '***' : value] as const)
    return {
      vars: Object.fromEntries(shown),
      redactedKeys: [...vars.keys()].filter(isSensitiveEnvKey),
      fingerprints: Object.fromEntries([...vars].map(([key, value]) => [key, fingerprint(salt, key, value)])),
      duplicateKeys: duplicateKeys(file),
      saltMark: fingerprint(salt, '', 'the salt itself'),
      revealAllowed: this.#options.allowReveal(),
    }
  }

  async set(
    vars: Record<string, string>,
    restart: boolean,
    operator: string | null = null,
    { remove = [], expect = {} }: { remove?: string[] | undefined; expect?: Expected | undefined } = {},
  ) {
    // Asked before anything is written: a change that cannot take effect as wanted is not made by half.
    const restartServices = restart ? await this.#prepareRestart(operator) : undefined
    const { before, after } = await this.#store.change((file, encode, current) => {
      this.#refuseIfOther(current, expect)
      const encoded = Object.entries(vars).map(([key, value]) => [key, encode(value)] as const)
      return setEnvVars(deleteEnvVars(file, remove), new Map(encoded))
    })
    const updatedKeys = Object.keys(vars).filter((key) => before.get(key) !== after.get(key))
    const removedKeys = remove.filter((key) => before.has(key) && !after.has(key))
    if (updatedKeys.length + removedKeys.length > 0) this.#writes++
    const restarted = restartServices === undefined ? [] : await this.#restart(restartServices)
    return {
      success: true,
      updatedKeys,
      removedKeys,
      restarted,
      message: describe(updatedKeys, removedKeys, restarted),
    }
  }

  /** Whoever changes a value must have seen the one that is there: another person's change is not undone unseen. */
  #refuseIfOther(current: Map<string, string>, expect: Expected): void {
    const salt = this.#options.salt()
    const changedKeys = Object.entries(expect)
      .filter(([key, seen]) => {
        const value = current.get(key)
        return seen !== (value === undefined ? null : fingerprint(salt, key, value))
      })
      .map(([key]) => key)
    if (changedKeys.length === 0) return
    throw new Problem(
      'conflict',
      `Someone else changed ${changedKeys.join(', ')} meanwhile, so nothing was written. Look at what is there now, then save again.`,
      { changedKeys },
    )
  }

  async remove(key: string) {
    await this.#store.change((file) => {
      const without = deleteEnvVar(file, key)
      if (without.lines.length === file.lines.length) throw missing(key)
      return without
    })
    this.#writes++
    return { success: true, message: `${key} is removed. Services see it when they restart.` }
  }

  async reveal(key: string) {
    if (!this.#options.allowReveal()) {
      throw new Problem(
        'forbidden',
        'This machine does not reveal values. Set PILOTHOUSE_ALLOW_REVEAL=1 in its configuration to allow it.',
      )
    }
    const value = (await this.#store.read()).vars.get(key)
    if (value === undefined) throw missing(key)
    return { key, value }
  }

  /** How many variables the file has; throws when it cannot be read. */
  async count(): Promise<number> {
    return (await this.#store.read()).vars.size
  }

  async #prepareRestart(operator: string | null): Promise<() => Promise<string[]>> {
    try {
      return await this.#options.prepareRestart(operator)
    } catch (error) {
      const { code, message, extra } = Problem.from(error)
      throw new Problem(code, `The services cannot be restarted, so nothing was written. ${message}`, extra)
    }
  }

  async #restart(restartServices: () => Promise<string[]>): Promise<string[]> {
    try {
      return await restartServices()
    } catch (error) {
      const problem = Problem.from(error)
      throw new Problem(problem.code, `The file is written, but the restart failed: ${problem.message}`, problem.extra)
    }
  }
}

function missing(key: string): Problem {
  return new Problem('not-found', `The env file has no ${key}. GET /env lists what it has.`)
}

function describe(updated: readonly string[], removed: readonly string[], restarted: readonly string[]): string {
  if (updated.length + removed.length + restarted.length === 0)
    return 'Every value was there already; nothing was written.'
  const parts = [
    updated.length === 0 ? '' : `Changed: ${updated.join(', ')}`,
    removed.length === 0 ? '' : `Removed: ${removed.join(', ')}`,
  ]
  const changed = parts.filter((part) => part !== '').join('. ') || 'Nothing changed'
  if (restarted.length === 0) return `${changed}. Services see it when they restart.`
  return `${changed}. Restarted: ${restarted.join(', ')}.`
}
