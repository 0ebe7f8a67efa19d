import { expect, test, vi } from 'vitest'

const main = vi.hoisted(() => ({
  tell: (_: unknown) => {},
  answer: (_: unknown) => {},
}))
vi.mock('../../app/bridge.ts', () => ({
  onIpcEvent: (_name: string, listener: (data: unknown) => void) => {
    main.tell = listener
    return () => {}
  },
  call: () =>
    new Promise((resolve) => {
      main.answer = resolve
    }),
}))
const { startWakes, useWakes } = await import('./wakes.store.ts')

test('a window that is opened during a wake shows it, and what it hears meanwhile is newer than what it asked for', async () => {
  const stop = startWakes()
  main.tell({ machineId: 'b', step: 'restore', detail: '' })
  main.tell({ machineId: 'c', step: 'done', detail: '' })
  const since = '2026-01-01T10:00:00.000Z'
  main.answer(['a', 'b', 'c'].map((machineId) => ({ machineId, since, step: 'verify' })))
  await vi.waitFor(() => expect(useWakes.getState().wakes['a']).toEqual({ since: Date.parse(since), step: 'verify' }))
  expect(useWakes.getState().wakes['b']?.step).toBe('restore')
  expect(useWakes.getState().wakes['c']).toBeUndefined()
  stop()
})
