import { expect, test } from 'vitest'
import type { TakeoverRequest } from '../../../shared/contract/takeover.ts'
import { askEach } from './askEach.ts'
import { applyRequest, openRequests, overRequests } from './takeovers.store.ts'

const request = (id: string, more: Partial<TakeoverRequest> = {}): TakeoverRequest => ({
  ...{ id, state: 'open', reason: '', instruction: '', pageUrl: null, picture: null },
  ...{ raisedAt: '2026-01-01T00:00:00Z', deadline: '', leftMs: 5000, assignedTo: null, operator: null },
  ...{ jobId: null, runId: null, ...more },
})

test('an event keeps the picture while it is wanted, and counts what is left by this computer’s clock', () => {
  const first = applyRequest([], 'm', request('a', { picture: 'jpeg' }), 1000)
  expect(first).toMatchObject([{ id: 'a', machineId: 'm', until: 6000, picture: null }])
  const known = first.map((one) => ({ ...one, picture: 'jpeg' }))
  const { picture: _none, ...told } = request('a', { assignedTo: 'Grace', leftMs: 3000 })
  expect(applyRequest(known, 'm', told, 2000)).toMatchObject([{ picture: 'jpeg', assignedTo: 'Grace', until: 5000 }])
  expect(applyRequest(known, 'm', { ...told, state: 'done' }, 2000)).toMatchObject([{ picture: null, state: 'done' }])
})

test('who has waited longest comes first, over all machines', () => {
  const at = (id: string, raisedAt: string, state = 'open') => ({
    ...request(id, { raisedAt, state }),
    machineId: id,
    until: 0,
  })
  const requests = {
    m: [at('late', '2026-01-01T00:00:09Z'), at('over', '2026-01-01T00:00:01Z', 'declined')],
    n: [at('early', '2026-01-01T00:00:03Z')],
  }
  expect(openRequests(requests).map(({ id }) => id)).toEqual(['early', 'late'])
  expect(overRequests(requests).map(({ id }) => id)).toEqual(['over'])
})

test('never more at once than allowed, and one failure keeps nobody back', async () => {
  let now = 0
  let most = 0
  const done: number[] = []
  await askEach([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    now--
    if (item === 2) throw new Error('no')
    done.push(item)
  })
  expect(most).toBe(3)
  expect(done.sort()).toEqual([1, 3, 4, 5, 6, 7])
})
