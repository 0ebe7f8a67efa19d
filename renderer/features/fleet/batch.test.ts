import { beforeEach, expect, test, vi } from 'vitest'
import { machine } from '../machine/machine.fixture.ts'
import { askBatch, type BatchJob, cancelBatch, closeBatch, runBatch, useBatch } from './batch.store.ts'

const told = vi.hoisted(() => [] as { title: string }[])
vi.mock('../../ui/Toast.tsx', () => ({ toast: (words: { title: string }) => told.push(words) }))

function job(name: string, count: number) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work: BatchJob = {
    ...{ title: name, text: '', action: name, danger: false, leftOut: [] },
    machines: Array.from({ length: count }, (_, index) => machine({ id: `${name}-${index}` })),
    run: ({ id }) => {
      begun.push(id)
      return new Promise((resolve) => ends.push(() => resolve('done')))
    },
  }
  return { work, begun, ends }
}
const settled = () => new Promise((resolve) => setTimeout(resolve))
beforeEach(() => {
  told.length = 0
  useBatch.setState({ job: null, phase: 'asking', items: {} })
})

test('a batch that is closed begins nothing more, whatever is run after it, and says what it leaves undone', async () => {
  const first = job('Start', 20)
  askBatch(first.work)
  void runBatch()
  expect(first.begun).toHaveLength(6)
  closeBatch()
  expect(told.map(({ title }) => title)).toEqual(['Start: 14 machines were not begun'])
  const second = job('Drain', 2)
  askBatch(second.work)
  const ran = runBatch()
  for (const end of first.ends) end()
  await settled()
  expect(first.begun).toHaveLength(6)
  expect(Object.keys(useBatch.getState().items)).toEqual(['Drain-0', 'Drain-1'])
  for (const end of second.ends) end()
  await ran
  expect(useBatch.getState()).toMatchObject({ phase: 'over', items: { 'Drain-0': { state: 'done' } } })
})

test('one that is told to begin no more shows which it left', async () => {
  const only = job('Stop', 8)
  askBatch(only.work)
  const ran = runBatch()
  cancelBatch()
  for (const end of only.ends) end()
  await ran
  const states = Object.values(useBatch.getState().items).map(({ state }) => state)
  expect(states).toEqual([...Array(6).fill('done'), 'left', 'left'])
  closeBatch()
  expect(told).toEqual([])
})
