import { type EngineConfig, engineConfig } from '../../shared/contract/engines.ts'
import { defaultCascade, type Level } from '../../shared/domain/cascade.ts'
import { defaultLimits } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { EngineStore } from './store.ts'

/** What the machine's own configuration says about models. The key never leaves it. */
export interface ModelDefaults {
  baseUrl: string | undefined
  model: string | undefined
  apiKey: string
}

const usualModel = 'gpt-4.1'
const usualSightModel = 'computer-use-preview'

/** The engines' settings: usual ones, under what was set with PUT. */
export class EngineSettingsStore {
  readonly #store: EngineStore
  readonly #usual: EngineConfig
  #config: EngineConfig

  constructor(store: EngineStore, models: ModelDefaults) {
    this.#store = store
    this.#usual = usualConfig(models)
    const kept = engineConfig.partial().safeParse(store.readConfig() ?? {})
    // Settings of a newer agent that this one does not understand are left alone, and the usual ones hold.
    this.#config = kept.success ? merged(this.#usual, kept.data) : this.#usual
  }

  get config(): EngineConfig {
    return this.#config
  }

  set(change: { [Key in keyof EngineConfig]?: EngineConfig[Key] | undefined }): EngineConfig {
    const next = merged(this.#config, change)
    for (const levels of [next.cascade.levels, ...Object.values(next.cascade.platforms)]) {
      const human = levels.findIndex((level) => level.engine === 'human')
      if (human !== -1 && human !== levels.length - 1)
        throw new Problem('invalid-params', 'cascade: "human" must come last, since engines go before people.')
    }
    this.#store.writeConfig(next)
    this.#config = next
    return next
  }
}

function merged(
  config: EngineConfig,
  change: { [Key in keyof EngineConfig]?: EngineConfig[Key] | undefined },
): EngineConfig {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return { ...config, ...(Object.fromEntries(given) as Partial<EngineConfig>) }
}

function usualConfig({
  baseUrl = null,
  model,
}: Omit<ModelDefaults, 'baseUrl'> & { baseUrl?: string | null | undefined }): EngineConfig {
  const copy = (levels: readonly Level[]) => levels.map((level) => ({ ...level }))
  const address = baseUrl ?? null
  return {
    limits: { stagehand: { ...defaultLimits.stagehand }, magnitude: { ...defaultLimits.magnitude } },
    cascade: {
      totalMs: defaultCascade.totalMs,
      levels: copy(defaultCascade.levels),
      platforms: Object.fromEntries(
        Object.entries(defaultCascade.platforms).map(([name, levels]) => [name, copy(levels ?? [])]),
      ),
    },
    pins: {},
    models: {
      stagehand: { name: `openai/${model ?? usualModel}`, baseUrl: address },
      cua: { name: `openai/${model ?? usualSightModel}`, baseUrl: address },
      magnitude: { name: model ?? usualModel, baseUrl: address },
    },
  }
}
