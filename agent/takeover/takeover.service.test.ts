import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { LeaseService } from './lease.service.ts'
import { type Asked, TakeoverRequests } from './requests.service.ts'
import { type EngineSide, Takeovers, type TakeoversOptions, type TakeoverTimes } from './takeover.service.ts'

const stagehand = { engine: 'stagehand', mode: 'dom' } as const
const resolved = { outcome: 'resolved', note: 'done' }
const asked: Asked = {
  ...{ reason: 'stuck', instruction: 'click', pageUrl: null, picture: 'x', timeMs: 5000, runId: null, jobId: null },
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp(
  expiry: 'hand_back' | 'keep_paused' = 'hand_back',
  hear: (type: string, data: object) => void = () => {},
) {
  const told: string[] = []
  const kept: TakeoverTimes[] = []
  const publish = (type: string, data: object) => {
    told.push('change' in data ? `${type} ${String(data.change)}` : type)
    hear(type, data)
  }
  const leases = new LeaseService({ publish, audit: { recordSystem() {} }, requireBrowser() {} })
  const requests = new TakeoverRequests(publish)
  const engines = {
    pause: vi.fn<EngineSide['pause']>(async () => {}),
    unpause: vi.fn<EngineSide['unpause']>(async () => {}),
    handBack: vi.fn(async (_driver: unknown, give: () => unknown) => give()),
  }
  const options: TakeoversOptions = {
    ...{ leases, requests, engines: engines as unknown as EngineSide, expiry, publish },
    keep: (times) => kept.push(times),
    log() {},
  }
  const takeovers = new Takeovers(options)
  const take = () => takeovers.take({ operator: 'Ann', reason: '', ttlMs: 60_000 })
  return { told, kept, leases, requests, engines, takeovers, take, options }
}

test('the engine is paused before control is given, and gets it back once it sees the page', async () => {
  const { takeovers, engines, take, kept, leases } = setUp()
  const { leaseId } = await take()
  expect(engines.pause).toHaveBeenCalledWith('Ann')
  await takeovers.handBack(leaseId, stagehand, resolved)
  expect(leases.current).toBeNull()
  expect(kept).toMatchObject([{ operator: 'Ann', outcome: 'resolved', note: 'done', handedBackTo: 'stagehand' }])
  expect(kept[0]?.handBackToActingMs).not.toBeNull()
  expect(engines.unpause).not.toHaveBeenCalled()
})

test('the end says which takeover of the history it was; a record that cannot be written changes nothing else', async () => {
  const ends: unknown[] = []
  const { takeovers, engines, take, options } = setUp('hand_back', (type, data) => {
    if (type === 'human_takeover' && (data as { change: string }).change === 'ended') ends.push(data)
  })
  await takeovers.handBack((await take()).leaseId, null, resolved)
  expect(ends).toMatchObject([{ takeoverId: 1, heldMs: expect.any(Number) as number, outcome: 'resolved' }])
  options.keep = () => {
    throw new Error('disk is full')
  }
  await takeovers.handBack((await take()).leaseId, null, resolved)
  expect(ends[1]).not.toHaveProperty('takeoverId')
  expect(engines.unpause).toHaveBeenCalledTimes(2)
})

test('on failure the person keeps control, and is told why', async () => {
  const { takeovers, engines, take, leases, kept } = setUp()
  const { leaseId } = await take()
  engines.handBack.mockRejectedValueOnce(new Problem('engine-failed', 'It does not see the page.'))
  const failed = takeovers.handBack(leaseId, stagehand, resolved)
  await expect(failed).rejects.toMatchObject({
    code: 'engine-failed',
    message: expect.stringContaining('You keep') as string,
  })
  expect(leases.isHeldBy(leaseId)).toBe(true)
  expect(kept).toEqual([])
  await expect(takeovers.handBack('wrong', stagehand, resolved)).rejects.toMatchObject({ code: 'lease-gone' })
})

test.each([
  ['hand_back', 'resume'],
  ['keep_paused', 'keep'],
] as const)('a lease that runs out, where the policy is %s: %s', async (policy, done) => {
  const { engines, take, kept, leases } = setUp(policy)
  await take()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(leases.current).toBeNull()
  expect(leases.standing === null).toBe(policy === 'hand_back')
  expect(engines.unpause.mock.calls).toEqual([[done]])
  expect(kept).toMatchObject([{ outcome: 'expired', handedBackTo: 'none' }])
})

test('whoever takes control answers the open request; its outcome is what was said at the hand-back', async () => {
  const { takeovers, requests, take, told, kept } = setUp()
  const request = requests.raise(asked)
  await vi.advanceTimersByTimeAsync(1000)
  const { leaseId } = await take()
  expect(requests.list()).toMatchObject([{ id: request.id, state: 'accepted', operator: 'Ann' }])
  await vi.advanceTimersByTimeAsync(10_000)
  await takeovers.handBack(leaseId, null, { outcome: 'impossible', note: 'the site is down' })
  expect(await request.outcome).toEqual({
    ...{ kind: 'handed_back', operator: 'Ann', outcome: 'impossible', note: 'the site is down', handedBackTo: 'none' },
  })
  expect(kept).toMatchObject([{ requestId: request.id, requestToAcceptedMs: 1000 }])
  expect(told).toEqual([
    ...['takeover_request raised', 'takeover_request accepted', 'takeover_lease taken', 'human_takeover began'],
    ...['takeover_lease handed_back', 'human_takeover ended', 'takeover_request done'],
  ])
})

test('of several requests the one that was accepted is; without a name the one that waited longest', async () => {
  const { takeovers, requests, take } = setUp()
  const [first, second] = [requests.raise(asked), requests.raise(asked)]
  const states = () => [first, second].map(({ id }) => requests.list().find((one) => one.id === id)?.state)
  const { leaseId } = await takeovers.take({ operator: 'Ann', reason: '', ttlMs: 60_000 }, second.id)
  expect(states()).toEqual(['open', 'accepted'])
  await takeovers.handBack(leaseId, null, resolved)
  expect(states()).toEqual(['open', 'done'])
  await take()
  expect(states()).toEqual(['accepted', 'done'])
})

test('who has control already answers a request that is raised then; a second one waits for its turn', async () => {
  const { takeovers, requests, take, kept } = setUp()
  const { leaseId } = await take()
  const request = requests.raise(asked)
  const second = requests.raise(asked)
  const states = () => [request, second].map(({ id }) => requests.list().find((one) => one.id === id)?.state)
  expect(states()).toEqual(['accepted', 'open'])
  await takeovers.handBack(leaseId, null, resolved)
  expect(await request.outcome).toMatchObject({ kind: 'handed_back', operator: 'Ann', outcome: 'resolved' })
  expect(kept).toMatchObject([{ requestId: request.id, requestToAcceptedMs: 0 }])
  expect(states()).toEqual(['done', 'open'])
})

test('who gave up before a person could be called calls nobody', async () => {
  const { requests } = setUp()
  const given = new AbortController()
  const called = requests.ask(asked, given.signal, 'it was ended')
  expect(requests.openCount).toBe(1)
  given.abort()
  expect(await called).toEqual({ kind: 'cancelled', reason: 'it was ended' })
  expect(await requests.ask(asked, given.signal, 'it was ended')).toEqual({ kind: 'cancelled', reason: 'it was ended' })
  expect(requests.list()).toHaveLength(1)
})

test('a request ends at its deadline, with the browser, and with a lease that lapses', async () => {
  const { requests, take, leases } = setUp()
  const first = requests.raise(asked)
  await vi.advanceTimersByTimeAsync(4999)
  expect(requests.list()[0]).toMatchObject({ state: 'open', leftMs: 1 })
  await vi.advanceTimersByTimeAsync(1)
  expect(await first.outcome).toEqual({ kind: 'timed_out' })
  expect(requests.list()[0]).toMatchObject({ state: 'timed_out', picture: null, leftMs: 0 })

  const second = requests.raise(asked)
  requests.cancelAll('gone')
  expect(await second.outcome).toEqual({ kind: 'cancelled', reason: 'gone' })

  const third = requests.raise(asked)
  await take()
  leases.browserEnded('it crashed')
  expect(await third.outcome).toMatchObject({ kind: 'lapsed', operator: 'Ann' })
})
