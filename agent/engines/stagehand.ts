import type { EngineMode } from '../../shared/domain/switch-criteria.ts'
import {
  type Engine,
  type EngineConnectOptions,
  type EngineKind,
  type EngineResult,
  type EngineSettings,
  GaveUp,
  within,
} from './engine.ts'
import { endingWith, modelFetch } from './model-fetch.ts'

/** What is used of the library; it is loaded when it is first needed and may be missing. */
interface StagehandPage {
  targetId(): string
  evaluate(expression: string): Promise<unknown>
}
interface StagehandInstance {
  init(): Promise<void>
  close(): Promise<void>
  act(
    instruction: string,
    options: { timeout?: number },
  ): Promise<{ success: boolean; message: string; actions: unknown[] }>
  observe(instruction: string): Promise<unknown[]>
  extract(instruction: string, schema?: unknown): Promise<unknown>
  agent(options: Record<string, unknown>): {
    execute(
      options: Record<string, unknown>,
    ): Promise<{ success: boolean; completed: boolean; message: string; actions: unknown[] }>
  }
  readonly context: {
    pages(): StagehandPage[]
    activePage(): StagehandPage | undefined
    setActivePage(page: StagehandPage): void
  }
}
interface StagehandLibrary {
  Stagehand: new (options: Record<string, unknown>) => StagehandInstance
  jsonSchemaToZod(schema: Record<string, unknown>): unknown
}

const library = '@browserbasehq/stagehand'
/** A computer-use model that needs more steps than this for one instruction is lost. */
const maxSteps = 20

let loading: Promise<StagehandLibrary> | undefined

function load(): Promise<StagehandLibrary> {
  // By a name that a bundler cannot see: it stays outside of the agent's one file.
  loading ??= (import(library) as Promise<StagehandLibrary>).catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

/** Reads the DOM, or, in mode `cua`, looks at the screen with a computer-use model. */
class StagehandEngine implements Engine {
  readonly #mode: EngineMode
  readonly #settings: EngineSettings
  #library: StagehandLibrary | undefined
  #stagehand: StagehandInstance | undefined

  constructor(mode: EngineMode, settings: EngineSettings) {
    this.#mode = mode
    this.#settings = settings
  }

  async connect(cdpUrl: string, { tabId, signal }: EngineConnectOptions): Promise<void> {
    this.#library = await load()
    const { name, baseUrl } = this.#settings.model
    const stagehand = new this.#library.Stagehand({
      env: 'LOCAL',
      keepAlive: true,
      disableAPI: true,
      disablePino: true,
      verbose: 0,
      logger: () => {},
      localBrowserLaunchOptions: { cdpUrl },
      model: {
        modelName: name,
        apiKey: this.#settings.apiKey,
        fetch: modelFetch,
        ...(baseUrl === null ? {} : { baseURL: baseUrl, openaiEndpointFormat: 'chat' }),
      },
    })
    this.#stagehand = stagehand
    await within(stagehand.init(), signal)
    const page = stagehand.context.pages().find((one) => one.targetId() === tabId)
    if (page !== undefined) stagehand.context.setActivePage(page)
  }

  async disconnect(): Promise<void> {
    await this.#stagehand?.close()
  }

  async act(instruction: string, signal: AbortSignal): Promise<EngineResult> {
    return this.#mode === 'cua' ? this.#actBySight(instruction, signal) : this.#actByDom(instruction, signal)
  }

  async observe(instruction: string, signal: AbortSignal): Promise<EngineResult> {
    return {
      data: await within(
        endingWith(signal, () => this.#connected().observe(instruction)),
        signal,
      ),
      confidence: null,
    }
  }

  async extract(
    instruction: string,
    schema: Record<string, unknown> | undefined,
    signal: AbortSignal,
  ): Promise<EngineResult> {
    const shape = schema === undefined ? undefined : this.#library?.jsonSchemaToZod(schema)
    const data = await within(
      endingWith(signal, () => this.#connected().extract(instruction, shape)),
      signal,
    )
    return { data, confidence: schema === undefined ? null : statedConfidence(data) }
  }

  async currentUrl(signal: AbortSignal): Promise<string> {
    const page = this.#connected().context.activePage()
    if (page === undefined) throw new Error('Stagehand sees no page')
    return String(await within(page.evaluate('location.href'), signal))
  }

  async #actByDom(instruction: string, signal: AbortSignal): Promise<EngineResult> {
    const acting = endingWith(signal, () => this.#connected().act(instruction, {}))
    const { success, message, actions } = await within(acting, signal)
    if (!success) throw new GaveUp(message === '' ? 'Stagehand found nothing to act on' : message)
    return { data: { actions }, confidence: null }
  }

  async #actBySight(instruction: string, signal: AbortSignal): Promise<EngineResult> {
    const { name, baseUrl } = this.#settings.model
    const model = {
      ...{ modelName: name, apiKey: this.#settings.apiKey, fetch: modelFetch },
      ...(baseUrl === null ? {} : { baseURL: baseUrl }),
    }
    const agent = this.#connected().agent({ mode: 'cua', model })
    // It takes no signal in this mode: what is aborted ends with its connections, to the browser and to the model. The cursor would be drawn in the page.
    const execution = endingWith(signal, () => agent.execute({ instruction, maxSteps, highlightCursor: false }))
    const { success, completed, message, actions } = await within(execution, signal)
    if (!success || !completed) throw new GaveUp(message === '' ? 'The computer-use model did not finish' : message)
    // A model that does nothing and says so has not done what it was asked to.
    if (actions.length === 0) throw new GaveUp(`The computer-use model did nothing: ${message}`)
    return { data: { message, actions }, confidence: null }
  }

  #connected(): StagehandInstance {
    if (this.#stagehand === undefined) throw new Error('Stagehand is not connected')
    return this.#stagehand
  }
}

/** Stagehand has none of its own; where the caller's schema asks the model for one, that is the one. */
function statedConfidence(data: unknown): number | null {
  const stated = typeof data === 'object' && data !== null ? (data as { confidence?: unknown }).confidence : undefined
  return typeof stated === 'number' && stated >= 0 && stated <= 1 ? stated : null
}

export const stagehand: EngineKind = {
  name: 'stagehand',
  package: '@browserbasehq/stagehand@3.7.3',
  load,
  create: (mode, settings) => new StagehandEngine(mode, settings),
}
