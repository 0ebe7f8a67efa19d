import { WebSocket } from 'ws'
import type { Engine, EngineKind } from '../engines/engine.ts'
import type { EngineRegistry } from '../engines/registry.ts'

/** How the engines behave from now on: as they should, or in one of the ways in which libraries fail. */
export type Conduct = 'works' | 'fails' | 'hangs' | 'missing' | 'thinks'

export interface ScriptedEngines {
  conduct: Conduct
  readonly kinds: EngineRegistry
}

/** Engines that take their real way to the real browser and do what the test wants; `url` is what they say they see. */
export function scriptedEngines(url: () => Promise<string>): ScriptedEngines {
  const engines: ScriptedEngines = {
    conduct: 'works',
    kinds: { stagehand: kind('stagehand'), magnitude: kind('magnitude') },
  }
  function kind(name: EngineKind['name']): EngineKind {
    return {
      name,
      package: `${name}@0`,
      async load() {
        if (engines.conduct === 'missing')
          throw Object.assign(new Error('no such package'), { code: 'MODULE_NOT_FOUND' })
      },
      create: engine,
    }
  }
  function engine(): Engine {
    let socket: WebSocket | undefined
    const done = async () => {
      if (engines.conduct === 'thinks') await new Promise(() => {})
      if (engines.conduct === 'fails') throw new Error('it cannot')
      return { data: null, confidence: null }
    }
    return {
      async connect(cdpUrl) {
        if (engines.conduct === 'fails') throw new Error('it cannot connect')
        socket = new WebSocket(cdpUrl)
        socket.on('error', () => {})
        await new Promise((resolve) => socket?.once('open', resolve))
        if (engines.conduct === 'hangs') await new Promise(() => {})
      },
      disconnect: async () => socket?.terminate(),
      ...{ act: done, observe: done, extract: done, currentUrl: url },
    }
  }
  return engines
}
