import { expect, test, vi } from 'vitest'
import type { InspectorSession } from '../session.ts'
import { NetworkModel } from './model.ts'

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
