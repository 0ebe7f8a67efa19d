import { expect, test } from 'vitest'
import type { MachineWorkers, SeenWorker } from '../../../shared/ipc-machine.ts'
import { machine } from '../machine/machine.fixture.ts'
import { truths, whyNoDrain, workerLook } from './look.ts'
import { drainable, idle } from './operations.ts'
import { filtered } from './WorkersTable.tsx'
import { countRunning, rowsOf } from './workers.store.ts'

const worker = (workerId: string, changed: Partial<SeenWorker> = {}): SeenWorker => ({
  ...{ workerId, containerId: workerId, containerName: workerId, status: 'idle', activeJobs: 0, statusPort: 1 },
  ...{ uptime: 0, image: 'gh:v1', currentJob: null, seenAt: '2026-01-01T00:00:00.000Z' },
  ...changed,
})
const known: Record<string, MachineWorkers> = {
  m1: {
    machineId: 'm1',
    at: '',
    workers: [
      worker('w1'),
      worker('w2', { status: 'busy', activeJobs: 1, currentJob: 'apply-7' }),
      worker('w3', { status: 'draining' }),
      worker('w4', { status: 'stopped' }),
    ],
  },
  m2: { machineId: 'm2', at: '', workers: [worker('x1'), worker('x2', { status: 'running' })] },
  gone: { machineId: 'gone', at: '', workers: [worker('y')] },
}
const rows = rowsOf([machine(), machine({ id: 'm2', name: 'off-1', state: 'paused' })], known)
const ids = (some: readonly { worker: SeenWorker }[]) => some.map((row) => row.worker.workerId)

test('only workers of machines that are in the fleet are shown, and only those that can be asked are acted on', () => {
  expect(ids(rows)).toEqual(['w1', 'w2', 'w3', 'w4', 'x1', 'x2'])
  expect(ids(drainable(rows))).toEqual(['w1', 'w2'])
  expect(ids(idle(rows))).toEqual(['w1'])
  expect(countRunning(known)).toBe(6)
})

test('workers are found by what they do and where they are', () => {
  expect(ids(filtered(rows, 'apply', 'all'))).toEqual(['w2'])
  expect(ids(filtered(rows, 'off-1', 'all'))).toEqual(['x1', 'x2'])
  expect(ids(filtered(rows, '', 'idle'))).toEqual(['w1', 'x1'])
})

test('a container that runs and a server that is silent are two truths', () => {
  expect(truths('running')).toEqual({ container: 'runs', server: 'does not answer' })
  expect(truths('stopped').container).toBe('stopped')
  expect(workerLook('running').tone).toBe('unknown')
  expect(whyNoDrain('stopped')).toContain('stopped')
  expect(whyNoDrain('busy')).toBeUndefined()
})
