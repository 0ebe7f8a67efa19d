import { expect, test, vi } from 'vitest'
import { callAgent } from '../../../app/bridge.ts'
import type { InspectorSession } from '../session.ts'
import { ConsoleModel } from './model.ts'

vi.mock('../../../app/bridge.ts', () => ({ callAgent: vi.fn() }))

test('what a worker says is shown once, as the worker itself tells it', () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  vi.mocked(callAgent).mockResolvedValue({ messages: [] })
  const heard = new Map<string, (params: object, sessionId?: string) => void>()
  const scopes: { type: string }[] = [{ type: 'page' }]
  const session = {
    on: (method: string, take: (params: object) => void) => heard.set(method, take),
    ...{ onReset: () => {}, onScope: () => {}, send: () => Promise.resolve({}), scopes },
  } as unknown as InspectorSession
  const model = new ConsoleModel(session)
  const entry = { source: 'worker', level: 'info', text: 'done [object Object]', timestamp: 1 }
  const texts = () => model.entries.map(({ text }) => text)
  // Of one that nobody can listen to any more this is all there is.
  heard.get('Log.entryAdded')?.({ entry })
  expect(texts()).toEqual(['done [object Object]'])
  scopes.push({ type: 'worker' })
  heard.get('Log.entryAdded')?.({ entry: { ...entry, text: 'again [object Object]' } })
  const args = [{ type: 'string', value: 'again' }]
  heard.get('Runtime.consoleAPICalled')?.({ type: 'log', args, timestamp: 2 }, 'w')
  heard.get('Log.entryAdded')?.({ entry: { ...entry, source: 'network', text: 'not found' } })
  expect(texts()).toEqual(['done [object Object]', 'again', 'not found'])
  vi.unstubAllGlobals()
})
