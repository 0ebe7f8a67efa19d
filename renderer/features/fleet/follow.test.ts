import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { IpcEventData } from '../../../shared/ipc.ts'
import { machine } from '../machine/machine.fixture.ts'
import { fleetRead, startFleet, useFleet } from './fleet.store.ts'

type Change = IpcEventData<'fleet.changed'>
const main = vi.hoisted(() => ({
  tell: [] as ((name: string, json: string) => void)[],
  list: [] as unknown[],
  answer: undefined as ((list: unknown) => void) | undefined,
}))
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', {
    pilothouse: {
      invoke: () => new Promise((resolve) => (main.answer = (value) => resolve({ ok: true, value }))),
      onEvent: (listener: (name: string, json: string) => void) => main.tell.push(listener),
    },
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const named = (id: string, changed: Partial<MachineView> = {}) => machine({ id, name: id, ...changed })
const tell = (change: Change) => {
  for (const listener of main.tell) listener('fleet.changed', JSON.stringify(change))
}
const changed = (...views: MachineView[]) => tell({ changed: views, removed: [] })
const viewers = (id: string) => useFleet.getState().machines[id]?.viewers

test('changes are gathered as the fleet grows, none is lost, and what was read later than a change is not undone by it', async () => {
  const stop = startFleet()
  const read = fleetRead()
  // Older than the answer, which is on its way: the first is shown at once, the second waits, and both are outdone.
  changed(named('m1', { viewers: 1 }), ...Array.from({ length: 1000 }, (_, index) => named(`x${index}`)))
  expect(viewers('m1')).toBe(1)
  changed(named('m1', { viewers: 1 }))
  main.answer?.(Array.from({ length: 1000 }, (_, index) => named(`m${index}`, { viewers: 2 })))
  await read
  await vi.advanceTimersByTimeAsync(1000)
  expect(viewers('m1')).toBe(2)

  const seen = vi.fn()
  const unsubscribe = useFleet.subscribe(seen)
  for (let at = 0; at < 50; at++) {
    changed(named('m1', { viewers: 100 + at }), named(`m${at + 10}`, { viewers: 7 }))
    await vi.advanceTimersByTimeAsync(10)
  }
  await vi.advanceTimersByTimeAsync(550)
  // Half a second of news at a hundred a second: a few pictures, and the last of each.
  expect(seen.mock.calls.length).toBeLessThanOrEqual(5)
  expect(viewers('m1')).toBe(149)
  expect(viewers('m59')).toBe(7)
  tell({ changed: [], removed: ['m5'] })
  await vi.advanceTimersByTimeAsync(550)
  expect(viewers('m5')).toBeUndefined()
  unsubscribe()
  stop()
})

test('however many listen, an event comes over the bridge once, and one that fails keeps it from nobody', async () => {
  const before = main.tell.length
  const { onIpcEvent } = await import('../../app/bridge.ts')
  const reported = vi.fn()
  vi.stubGlobal('reportError', reported)
  const [first, second] = [vi.fn(), vi.fn()]
  const stops = [
    onIpcEvent('fleet.changed', () => {
      throw new Error('broken')
    }),
    onIpcEvent('fleet.changed', first),
    onIpcEvent('settings.changed', second),
  ]
  expect(main.tell.length).toBe(before)
  changed(named('a'))
  expect(first).toHaveBeenCalledTimes(1)
  expect(second).not.toHaveBeenCalled()
  expect(reported).toHaveBeenCalledTimes(1)
  for (const stop of stops) stop()
  changed(named('a'))
  expect(first).toHaveBeenCalledTimes(1)
})
