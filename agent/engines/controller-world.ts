import { setTimeout as sleep } from 'node:timers/promises'
import type { SwitchRecord } from '../../shared/contract/engines.ts'
import { type Driver, driverName } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { BrowserPort } from './browser-port.ts'
import { SandboxController } from './controller.ts'
import type { Engine } from './engine.ts'
import type { Gate } from './gate.ts'

export type Conduct = 'works' | 'fails' | 'hangs' | 'late' | 'clings' | 'blind' | 'missing' | 'stumbles'

export const drivers: Driver[] = [
  { engine: 'stagehand', mode: 'dom' },
  { engine: 'stagehand', mode: 'cua' },
  { engine: 'magnitude', mode: null },
]

/** A browser and engines of every conduct, which watch that no two engines are ever connected. */
export function world(lockMs = 60, patience = 1) {
  const state = { alive: true, lease: null as string | null, conduct: 'works' as Conduct, worst: 0, acted: 0 }
  /** For engines that behave otherwise than the rest. */
  const conducts = new Map<string, Conduct>()
  const connected = new Set<Gate>()
  const gates = new Map<string, Gate>()
  const records: SwitchRecord[] = []
  const disconnected: string[] = []
  const count = () => {
    state.worst = Math.max(state.worst, [...connected].filter((gate) => gate.open).length)
  }
  const page = { url: 'http://page/', title: '', scroll: { x: 0, y: 0 }, focused: null, tabs: [], tabId: 't' }
  const browser: BrowserPort = {
    require() {
      if (!state.alive) throw new Problem('not-active', 'The browser is not running.')
    },
    async openGate() {
      await sleep(1)
      let open = true
      const gate: Gate = {
        cdpUrl: `gate:${gates.size}`,
        get open() {
          return open
        },
        refused: 0,
        acted: 0,
        takeHeldInput: () => ({ keys: [], buttons: [] }),
        close() {
          open = false
        },
      }
      gates.set(gate.cdpUrl, gate)
      return gate
    },
    capture: async () => ({ ...page, complete: true }),
    url: () => page.url,
    alive: async () => state.alive,
    resume: async () => {},
    facts: () => Promise.reject(new Error('none')),
    thumbnail: async () => null,
    release: async () => {},
  }
  const engine = (conduct: Conduct): Engine => ({
    async connect(url) {
      const gate = gates.get(url)
      if (gate === undefined) throw new Error('no gate')
      connected.add(gate)
      count()
      if (conduct === 'fails') throw new Error('it fails')
      if (conduct === 'hangs') await new Promise(() => {})
      if (conduct === 'late') await sleep(40)
    },
    async disconnect() {
      if (conduct === 'clings') await new Promise(() => {})
    },
    act: async (_instruction, signal) => {
      if (conduct === 'hangs' || conduct === 'late') await new Promise(() => {})
      signal.throwIfAborted()
      if (conduct === 'stumbles') throw new Error('it stumbles')
      state.acted++
      return { data: null, confidence: null }
    },
    observe: async () => ({ data: null, confidence: null }),
    extract: async () => ({ data: null, confidence: null }),
    currentUrl: async () => (conduct === 'blind' ? 'http://elsewhere/' : page.url),
  })
  const controller = new SandboxController({
    browser,
    lease: () => (state.lease === null ? null : { operator: state.lease, reason: '', takenAt: '', expiresAt: 'later' }),
    prepare: async (driver) => {
      const conduct = conducts.get(driverName(driver)) ?? state.conduct
      if (conduct === 'missing') throw new Problem('install-required', `${driver.engine} is not installed.`)
      return () => engine(conduct)
    },
    record: (made) => {
      const record = { ...made, id: records.length, time: '' }
      records.push(record)
      return record
    },
    publish: (type) => void disconnected.push(type),
    log: () => {},
    limits: { lockMs, connectMs: 20 * patience, verifyMs: 10 * patience, disconnectMs: 5 * patience },
  })
  const open = () => [...gates.values()].filter((gate) => gate.open && connected.has(gate)).length
  return { state, conducts, controller, browser, records, open, count }
}
