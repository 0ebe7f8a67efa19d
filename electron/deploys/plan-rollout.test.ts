import { expect, test } from 'vitest'
import type { CallName } from '../../shared/contract/index.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import { Problem } from '../../shared/errors.ts'
import { settle, TestClock } from '../test-clock.ts'
import type { Machines } from './ask-machine.ts'
import { planRollout } from './plan-rollout.ts'

/** Machines that answer; those named stay silent until their call is called off. */
function stage(count: number, silent: (id: string) => boolean = () => false) {
  const asked = new Set<string>()
  const calledOff = new Set<string>()
  const answers: Partial<Record<CallName, unknown>> = {
    'machine.health': { currentDeploy: null },
    'takeover.get': { lease: null },
    'workers.list': [],
    'deploys.list': { deploys: [{ status: 'completed', imageTag: 'v1' }] },
  }
  const machines = {
    has: () => true,
    call: (id: string, name: CallName, _params: unknown, { signal }: { signal?: AbortSignal } = {}) => {
      asked.add(id)
      if (!silent(id)) return Promise.resolve(answers[name])
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          calledOff.add(id)
          reject(new Problem('cancelled', 'called off'))
        }),
      )
    },
  } as unknown as Machines
  const chosen = Array.from({ length: count }, (_, index) => known({ id: `m${index}` }))
  const clock = new TestClock()
  const abort = new AbortController()
  const told: number[] = []
  const plan = (wanted = chosen) =>
    planRollout(machines, wanted, {
      ...{ maxUnavailable: 50, clock, signal: abort.signal },
      onLooked: (looked) => told.push(looked),
    })
  return { asked, calledOff, clock, abort, told, plan }
}

const known = (changed: Partial<MachineView>) => {
  const id = changed.id ?? 'm'
  return { id, name: id, environment: 'prod' as const, state: 'running' as const, problem: null, ...changed }
}

test('one that is stopped asks no further machine, calls off what is under way, and answers what it has', async () => {
  const { asked, calledOff, abort, plan, clock, told } = stage(1000, (id) => id !== 'm0' && id !== 'm1')
  const planning = plan()
  await clock.advance(200)
  expect(told).toEqual([2])
  expect(asked.size).toBe(22)
  abort.abort()
  const { machines, looked } = await planning
  expect([looked, machines.length, calledOff.size]).toEqual([2, 1000, 20])
  expect(machines[1]).toMatchObject({ machineId: 'm1', tag: 'v1', workers: [] })
  expect(machines[2]).toMatchObject({ machineId: 'm2', obstacle: null, workers: null })
  expect(asked.size).toBe(22)
})

test('machines that are known to be silent are not waited for, and one that is slow holds only its own place', async () => {
  const problem = { code: 'unreachable', detail: 'No answer from 10.0.0.7.' }
  const silent = Array.from({ length: 500 }, (_, index) => known({ id: `s${index}`, state: 'unknown', problem }))
  const refused = { code: 'unauthorized', detail: 'The agent refuses this secret.' }
  const { asked, abort, plan } = stage(0, (id) => id === 'slow')
  const planning = plan([
    ...silent,
    known({ id: 'slow' }),
    ...Array.from({ length: 100 }, (_, index) => known({ id: `z${index}` })),
    known({ id: 'zz', state: 'unknown', problem: refused }),
  ])
  await settle()
  expect(asked.size).toBe(102)
  abort.abort()
  const { machines, looked } = await planning
  expect(looked).toBe(601)
  expect(machines[0]).toMatchObject({ obstacle: { state: 'unreachable', detail: problem.detail }, workers: null })
  expect(machines.at(-1)).toMatchObject({ machineId: 'zz', tag: 'v1' })
})
