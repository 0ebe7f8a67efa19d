import { afterEach, describe, expect, test, vi } from 'vitest'
import { callAgent } from '../../../app/bridge.ts'
import type { InspectorSession } from '../session.ts'
import { NetworkModel } from './model.ts'
import { durationOf } from './rows.ts'

vi.mock('../../../app/bridge.ts', () => ({ callAgent: vi.fn() }))

test('very many requests are kept, and how many of the oldest had to go is known', () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const heard = new Map<string, (params: Record<string, unknown>) => void>()
  const session = {
    on: (method: string, take: (params: Record<string, unknown>) => void) => heard.set(method, take),
    onReset: () => {},
    onScope: () => {},
  } as unknown as InspectorSession
  const model = new NetworkModel(session)
  const send = (place: number) =>
    heard.get('Network.requestWillBeSent')?.({
      ...{ requestId: String(place), timestamp: place, wallTime: place, type: 'Fetch' },
      request: { url: `https://shop.example/api?n=${place}`, method: 'GET', headers: {} },
    })
  for (let place = 0; place < 5000; place++) send(place)
  expect([model.size, model.dropped]).toEqual([5000, 0])
  for (let place = 5000; place < 10_600; place++) send(place)
  expect(model.size + model.dropped).toBe(10_600)
  expect(model.dropped).toBeGreaterThan(0)
  expect(model.rows.at(-1)?.url).toMatch(/n=10599$/)
  model.clear()
  expect(model.dropped).toBe(0)
  vi.unstubAllGlobals()
})

test('what the agent recorded meanwhile is added once, in its place', async () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const heard = new Map<string, (params: Record<string, unknown>) => void>()
  const session = {
    on: (method: string, take: (params: Record<string, unknown>) => void) => heard.set(method, take),
    ...{ onReset: () => {}, onScope: () => {} },
  } as unknown as InspectorSession
  const model = new NetworkModel(session)
  for (const second of [10, 30])
    heard.get('Network.requestWillBeSent')?.({
      ...{ requestId: String(second), timestamp: second, wallTime: second + 0.0004, type: 'Fetch' },
      request: { url: `https://shop.example/${second}`, method: 'GET', headers: {} },
    })
  const recorded = (second: number) => ({
    ...{ url: `https://shop.example/${second}`, method: 'GET', status: 503, mimeType: null, responseSize: 2 },
    ...{ duration: 5, timestamp: new Date(second * 1000).toISOString(), failed: null },
  })
  vi.mocked(callAgent).mockResolvedValue({ requests: [10, 20, 30, 40].map(recorded) })
  const shown = () => model.rows.map(({ url, recorded: told }) => `${url.slice(-2)}${told ? ' recorded' : ''}`)
  await model.lookBack()
  expect(shown()).toEqual(['10', '20 recorded', '30', '40 recorded'])
  vi.mocked(callAgent).mockResolvedValue({ requests: [20, 30, 40, 50].map(recorded) })
  await model.lookBack()
  expect(shown()).toEqual(['10', '20 recorded', '30', '40 recorded', '50 recorded'])
  expect(new Set(model.rows.map(({ key }) => key)).size).toBe(5)
  vi.unstubAllGlobals()
})

describe('what stays without an end', () => {
  const asked = (requestId: string, loaderId: string, more: object = {}) => ({
    ...{ requestId, loaderId, frameId: 'main', timestamp: 10, wallTime: 1000, type: 'Fetch', ...more },
    request: { url: `https://shop.example/${requestId}`, method: 'GET', headers: {} },
  })
  const recorded = (requestId: string, more: object = {}) => ({
    ...{ requestId, url: `https://shop.example/${requestId}`, method: 'GET', status: 200, mimeType: 'text/plain' },
    ...{ resourceType: 'Fetch', responseSize: 7, duration: 250, timestamp: new Date(1_000_000).toISOString() },
    ...{ failed: null, ...more },
  })
  function opened() {
    vi.useFakeTimers()
    vi.stubGlobal('requestAnimationFrame', () => 0)
    const heard = new Map<string, (params: object, sessionId?: string) => void>()
    const told: { reset: () => void; scope: (scope: object) => void } = { reset: () => {}, scope: () => {} }
    const session = {
      on: (method: string, take: (params: object) => void) => heard.set(method, take),
      onReset: (take: () => void) => Object.assign(told, { reset: take }),
      onScope: (take: () => void) => Object.assign(told, { scope: take }),
      send: () => Promise.resolve({}),
      frameOf: (sessionId?: string) => sessionId && `frame of ${sessionId}`,
    } as unknown as InspectorSession
    vi.mocked(callAgent).mockResolvedValue({ requests: [] })
    const model = new NetworkModel(session)
    const tell = (method: string, params: object, sessionId?: string) => heard.get(method)?.(params, sessionId)
    const row = (id: string) => model.rows.find(({ requestId }) => requestId === id)
    return { model, tell, told, row }
  }
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  test('is not called pending once its document made way for another one', () => {
    const { tell, row } = opened()
    tell('Network.requestWillBeSent', asked('old', 'first'))
    tell('Network.webSocketCreated', { requestId: 'socket', url: 'wss://shop.example/' })
    tell('Network.requestWillBeSent', asked('next', 'second', { type: 'Document' }))
    tell('Network.requestWillBeSent', asked('elsewhere', 'other', { frameId: 'frame of s' }), 's')
    tell('Page.frameNavigated', { frame: { id: 'main', loaderId: 'second' } })
    expect(['old', 'socket', 'next', 'elsewhere'].map((id) => row(id)?.lost)).toEqual([true, true, false, false])
    tell('Target.detachedFromTarget', { sessionId: 's' })
    expect(row('elsewhere')?.lost).toBe(true)
    // What is heard of again was not lost.
    tell('Network.loadingFinished', { requestId: 'old', timestamp: 11, encodedDataLength: 5 })
    expect(row('old')).toMatchObject({ lost: false, endedAt: 11 })
  })

  test('has its end from the agent, which listens everywhere', async () => {
    const { tell, row } = opened()
    tell('Network.requestWillBeSent', asked('script', '', { type: 'Script' }))
    tell('Target.detachedFromTarget', { sessionId: 'nobody' })
    vi.mocked(callAgent).mockResolvedValue({ requests: [recorded('script')] } as never)
    tell('Page.frameDetached', { frameId: 'main', reason: 'remove' })
    await vi.advanceTimersByTimeAsync(1000)
    expect(row('script')).toMatchObject({ lost: false, endedAt: 10.25, status: 200, size: 7 })
  })

  test('goes on after the connection was interrupted, and what began before it is followed by its id', async () => {
    const { model, tell, told, row } = opened()
    tell('Network.requestWillBeSent', asked('slow', 'first'))
    told.reset()
    expect(row('slow')?.lost).toBe(true)
    const before = recorded('stream', { duration: null, responseSize: null, resourceType: 'EventSource' })
    vi.mocked(callAgent).mockResolvedValue({ requests: [recorded('slow', { duration: null }), before] } as never)
    told.scope({ sessionId: undefined })
    await vi.advanceTimersByTimeAsync(1000)
    expect(model.size).toBe(2)
    tell('Network.dataReceived', { requestId: 'slow', dataLength: 4, encodedDataLength: 4 })
    expect(row('slow')?.lost).toBe(false)
    tell('Network.eventSourceMessageReceived', { requestId: 'stream', eventName: 'tick', data: 'heard', timestamp: 9 })
    expect(model.messages(row('stream')?.key ?? '').list).toMatchObject([{ data: 'heard', name: 'tick' }])
    vi.mocked(callAgent).mockResolvedValue({ requests: [recorded('stream', { duration: 3000 })] } as never)
    tell('Network.loadingFinished', { requestId: 'stream', timestamp: 12, encodedDataLength: 1 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(durationOf(row('stream') as never)).toBeCloseTo(3000)
  })

  test('what was cleared away does not come back from the record', async () => {
    const { model, tell, told } = opened()
    tell('Network.requestWillBeSent', asked('gone', 'first'))
    tell('Network.loadingFinished', { requestId: 'gone', timestamp: 11, encodedDataLength: 5 })
    model.clear()
    const later = recorded('later', { timestamp: new Date(1_000_001).toISOString() })
    vi.mocked(callAgent).mockResolvedValue({ requests: [recorded('gone'), later] } as never)
    told.scope({ sessionId: undefined })
    await vi.advanceTimersByTimeAsync(0)
    expect(model.rows.map(({ requestId }) => requestId)).toEqual(['later'])
  })
})

test('a hop of a redirect says where it led: its body would be that of the last hop', () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const heard = new Map<string, (params: object) => void>()
  const session = {
    on: (method: string, take: (params: object) => void) => heard.set(method, take),
    ...{ onReset: () => {}, onScope: () => {} },
  } as unknown as InspectorSession
  const model = new NetworkModel(session)
  const send = (path: string, more: object = {}) =>
    heard.get('Network.requestWillBeSent')?.({
      ...{ requestId: '1', timestamp: 1, wallTime: 1, type: 'Fetch', ...more },
      request: { url: `https://shop.example/${path}`, method: 'GET', headers: {} },
    })
  send('first')
  send('second', { redirectResponse: { status: 302, encodedDataLength: 3 } })
  expect(model.rows.map(({ status, redirectedTo }) => [status, redirectedTo])).toEqual([
    [302, 'https://shop.example/second'],
    [null, null],
  ])
  vi.unstubAllGlobals()
})
