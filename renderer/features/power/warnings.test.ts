import { expect, test, vi } from 'vitest'
import { machine } from '../machine/machine.fixture.ts'

const seen = vi.hoisted(() => ({
  tell: (_: unknown) => {},
  toasts: [] as { id?: string; action?: { label: string; run: () => void } }[],
  dismissed: [] as string[],
  kept: [] as unknown[],
}))
vi.mock('../../app/bridge.ts', () => ({
  onIpcEvent: (_name: string, listener: (data: unknown) => void) => {
    seen.tell = listener
    return () => {}
  },
}))
vi.mock('../../ui/Toast.tsx', () => ({
  toast: (told: (typeof seen.toasts)[number]) => seen.toasts.push(told),
  dismiss: (id: string) => seen.dismissed.push(id),
}))
vi.mock('./operations.ts', () => ({ keepUp: async (one: unknown) => seen.kept.push(one) > 0 }))
const one = machine({ id: 'm1' })
vi.mock('../fleet/fleet.store.ts', () => ({ useFleet: { getState: () => ({ machines: { m1: one } }) } }))
const { startWarnings } = await import('./warnings.ts')

test('the warning before a machine is stopped carries the way to keep it up', async () => {
  startWarnings()
  seen.tell({ machineId: 'm1', name: 'one', reason: 'idle' })
  expect(seen.toasts[0]?.action?.label).toBe('Keep it up')
  seen.toasts[0]?.action?.run()
  await vi.waitFor(() => expect(seen.dismissed).toEqual([seen.toasts[0]?.id]))
  expect(seen.kept).toEqual([one])
})
