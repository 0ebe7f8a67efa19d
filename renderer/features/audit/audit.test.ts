import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AuditCursor, MergedEntry } from '../../../shared/ipc-audit.ts'
import { toast } from '../../ui/Toast.tsx'
import { exportAudit, loadMore, reload, stopLooking, useAudit } from './audit.store.ts'
import { machineOf } from './sources.ts'

vi.mock('../../ui/Toast.tsx', () => ({ toast: vi.fn() }))

interface Page {
  entries: MergedEntry[]
  next: AuditCursor | null
  missing: string[]
}
const place = (id: number): AuditCursor => ({ at: `2026-01-01T00:00:0${id}.000Z`, source: 'a', id })
const entry = (id: number): MergedEntry => ({
  ...{ ...place(id), action: 'exec', operator: null, machineId: 'a', result: 'success', errorMessage: null },
  ...{ durationMs: 1, details: {} },
})
const empty = (id: number): Page => ({ entries: [], next: place(id), missing: [] })

let answer: (name: string, params: { before?: AuditCursor }) => unknown
beforeEach(() => {
  vi.stubGlobal('window', {
    pilothouse: {
      invoke: async (name: string, params: never) => ({ ok: true, value: await answer(name, params) }),
    },
  })
  useAudit.setState(useAudit.getInitialState())
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

test('a page without entries is not the end: it is read on from there, and said how far back that is', async () => {
  const seen: unknown[] = []
  answer = (_name, { before }) => {
    seen.push([useAudit.getState().phase, before?.id])
    if (before === undefined) return empty(5)
    return before.id === 5 ? empty(4) : { entries: [entry(3)], next: null, missing: ['b'] }
  }
  await reload()
  expect(seen).toEqual([
    ['loading', undefined],
    ['looking', 5],
    ['looking', 4],
  ])
  expect(useAudit.getState()).toMatchObject({ phase: 'ready', entries: [{ id: 3 }], next: null, missing: ['b'] })
})

test('looking is stopped at once, and goes on from there when wanted', async () => {
  let free = () => {}
  answer = (_name, { before }) => {
    if (before === undefined) return empty(5)
    return new Promise((resolve) => {
      free = () => resolve({ entries: [entry(3)], next: null, missing: [] })
    })
  }
  const reading = reload()
  await expect.poll(() => useAudit.getState().phase).toBe('looking')
  stopLooking()
  expect(useAudit.getState()).toMatchObject({ phase: 'ready', entries: [], next: place(5) })
  free()
  await reading
  expect(useAudit.getState().entries).toEqual([])
  const more = loadMore()
  expect(useAudit.getState().phase).toBe('looking')
  free()
  await more
  expect(useAudit.getState()).toMatchObject({ phase: 'ready', entries: [{ id: 3 }], next: null })
})

test('an export says what is not in it', async () => {
  answer = () => ({ file: 'audit.csv', entries: 2, missing: ['b', 'c'], stopped: true })
  await exportAudit('csv')
  expect(toast).toHaveBeenCalledWith(
    expect.objectContaining({
      title: '2 entries exported',
      detail: 'It was stopped before the end. Older entries of 2 machines could not be fetched. audit.csv',
      kind: 'problem',
    }),
  )
})

test('an entry names its machine also before it had a number, and after it was removed', () => {
  const row = { source: 'console', machineId: 'a', action: 'remove_machine', details: { machine: 'shop-1' } }
  expect(machineOf(row, { a: { name: 'shop-renamed' } })).toBe('shop-renamed')
  expect(machineOf(row, {})).toBe('shop-1 (removed)')
  expect(machineOf({ ...row, source: 'a' }, {})).toBe('removed (a)')
  const added = { ...row, machineId: null, action: 'add_machine', details: { name: 'shop-2' } }
  expect(machineOf(added, {})).toBe('shop-2')
  expect(machineOf({ ...added, action: 'set_aws_keys' }, {})).toBe('—')
})
