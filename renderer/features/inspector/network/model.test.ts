import { expect, test, vi } from 'vitest'
import { callAgent } from '../../../app/bridge.ts'
import type { InspectorSession } from '../session.ts'
import { NetworkModel } from './model.ts'

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
