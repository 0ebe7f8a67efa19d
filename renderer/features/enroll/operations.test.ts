import { beforeEach, expect, test, vi } from 'vitest'

const seen = vi.hoisted(() => ({
  asked: [] as unknown[],
  went: [] as unknown[],
  told: [] as { title: string; action?: { run: () => void } }[],
  answer: undefined as unknown,
}))
vi.mock('../../app/bridge.ts', () => ({
  problemOf: (error: unknown) => error,
  call: async (...asked: unknown[]) => {
    seen.asked.push(asked)
    if (seen.answer instanceof Error) throw seen.answer
    return seen.answer
  },
}))
vi.mock('../../app/route.ts', () => ({ go: (place: unknown) => seen.went.push(place) }))
vi.mock('../../ui/Toast.tsx', () => ({
  toast: (words: { title: string }) => void seen.told.push(words),
  dismiss: () => {},
}))
const { useUi } = await import('../../app/ui.store.ts')
const { enroll, sayTheyGoOn } = await import('./operations.ts')
const { addMachine } = await import('../fleet/useAddMachine.ts')

const enrolling = { enrollId: 'e', name: 'box' } as Parameters<typeof enroll>[0]
const adding = { name: 'box' } as Parameters<typeof addMachine>[0]
const toTheMachine = { screen: 'machine', machineId: 'm', tab: 'live' }
beforeEach(() => {
  for (const list of [seen.asked, seen.went, seen.told]) list.length = 0
  seen.answer = { id: 'm', name: 'box' }
  useUi.setState({ open: 'run-command' })
})

test.each([
  ['an installation', (stillOpen: () => boolean) => enroll(enrolling, stillOpen)],
  ['a machine that is added', (stillOpen: () => boolean) => addMachine(adding, stillOpen)],
])('%s leads to its page while its form is open, and afterwards leaves the person where they are', async (_, begin) => {
  await begin(() => false)
  expect(seen.went).toEqual([])
  expect(useUi.getState().open).toBe('run-command')
  expect(seen.told).toHaveLength(1)
  seen.told[0]?.action?.run()
  expect(seen.went).toEqual([toTheMachine])
  await begin(() => true)
  expect(seen.went).toEqual([toTheMachine, toTheMachine])
  expect(useUi.getState().open).toBe('none')
})

test('what goes wrong is told by the form, or where there is none any more in a word of its own', async () => {
  seen.answer = Object.assign(new Error(), { code: 'unreachable', detail: 'box is silent' })
  await expect(enroll(enrolling, () => true)).rejects.toBe(seen.answer)
  expect(seen.told).toEqual([])
  await enroll(enrolling, () => false)
  expect(seen.told).toMatchObject([{ title: 'box did not get its agent', detail: 'box is silent', kind: 'problem' }])
  seen.answer = Object.assign(new Error(), { code: 'cancelled', detail: 'The installation was cancelled.' })
  await enroll(enrolling, () => false)
  expect(seen.told[1]).toMatchObject({ title: 'box: the installation was stopped', kind: 'plain' })
})

test('closing the wizard says that what is under way goes on, and leads back to it', () => {
  sayTheyGoOn([])
  expect(seen.told).toEqual([])
  sayTheyGoOn([{ enrollId: 'e', name: 'box', host: 'box', stopping: false, steps: [] }])
  expect(seen.told[0]?.title).toBe('box: the installation goes on')
  seen.told[0]?.action?.run()
  expect(useUi.getState().open).toBe('enroll')
})
