import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Attempt } from '../../shared/contract/engines.ts'
import { defaultCascade, planCascade } from '../../shared/domain/cascade.ts'
import { readStats } from './stats.ts'
import { EngineStore } from './store.ts'

let folder: string
let store: EngineStore
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'ph-stats-'))
  store = new EngineStore(folder)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

const dom = { engine: 'stagehand', mode: 'dom' } as const
const magnitude = { engine: 'magnitude', mode: null } as const

function operation(run: string, driver: typeof dom | typeof magnitude, ms: number, success: boolean, day = 2): void {
  const attempt: Attempt = {
    ...{ ...driver, level: 1, attempt: 1, startedAt: `2026-01-0${day}T00:00:00.000Z`, durationMs: ms },
    ...{ result: success ? 'success' : 'failed', confidence: null, detail: '' },
  }
  store.addOperation(run, 'act', 'lever', attempt)
}
const change = (runId: string | null, durationMs: number, success: boolean, reason: string) =>
  store.addSwitch({
    ...{ runId, from: dom, to: magnitude, reason, detail: '', pageState: null, durationMs, steps: [], success },
  })

test('figures are what SQL makes of everything kept, and are the same after a restart', () => {
  for (let i = 1; i <= 20; i++) operation(`run ${i % 4}`, dom, i * 10, i % 4 !== 0)
  operation('run 0', magnitude, 500, true)
  operation('old', dom, 9999, false, 1)
  change('run 1', 100, true, 'failed')
  change('run 1', 300, false, 'timed_out')
  change(null, 200, true, 'operator')
  const times = { requestToAcceptedMs: 1000, acceptedToControlMs: 20, handBackToActingMs: null }
  const said = { requestId: null, outcome: 'resolved', note: '', handedBackTo: 'none', heldMs: 5 }
  store.addTakeover({ operator: 'Ann', ...said, ...times })
  store.addTakeover({ operator: 'Ben', ...said, ...times, requestToAcceptedMs: 3000, handBackToActingMs: 80 })
  const expected = {
    engines: [
      { ...magnitude, platform: 'lever', operations: 1, successRate: 1, meanMs: 500, p95Ms: 500 },
      { ...dom, platform: 'lever', operations: 20, successRate: 0.75, meanMs: 105, p95Ms: 190 },
    ],
    switches: [{ from: 'stagehand/dom', to: 'magnitude', count: 3, failed: 1, meanMs: 200 }],
    runs: {
      ...{ count: 4, switchesPerRun: 0.5 },
      reasons: [
        { reason: 'failed', count: 1 },
        { reason: 'timed_out', count: 1 },
      ],
    },
    takeovers: {
      ...{ count: 2, meanRequestToAcceptedMs: 2000, meanAcceptedToControlMs: 20, meanHandBackToActingMs: 80 },
    },
  }
  const since = '2026-01-02T00:00:00.000Z'
  expect(readStats(store.database, since)).toEqual({ since, ...expected })
  // The same moment, as others write it: shorter, or by the clock of another place.
  for (const same of ['2026-01-02T00:00:00Z', '2026-01-02T02:00:00+02:00'])
    expect(readStats(store.database, same)).toEqual({ since: same, ...expected })
  store.close()
  store = new EngineStore(folder)
  expect(readStats(store.database, since)).toEqual({ since, ...expected })
  expect(readStats(store.database, undefined).engines.find(({ mode }) => mode === 'dom')?.operations).toBe(21)
  expect(store.switches(2).map(({ durationMs }) => durationMs)).toEqual([200, 300])
  expect(store.takeovers('Ben', 10)).toMatchObject([{ operator: 'Ben', requestToAcceptedMs: 3000, heldMs: 5 }])
})

test('what is kept decides who is first, and people do not count', () => {
  for (let i = 0; i < 10; i++) {
    operation(`run ${i}`, dom, 10, i === 0)
    operation(`run ${i}`, magnitude, 10, i !== 0)
  }
  const plan = planCascade(defaultCascade, 'lever', undefined, store.trackRecords('lever'))
  expect(plan).toMatchObject({ rule: 'history', levels: [{ engine: 'magnitude' }, {}, {}, {}] })
  expect(planCascade(defaultCascade, 'linkedin', undefined, store.trackRecords('linkedin')).rule).toBe('table')
})
