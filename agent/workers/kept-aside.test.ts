import type { ContainerInfo } from 'dockerode'
import { expect, test } from 'vitest'
import { settleAside } from './kept-aside.ts'

const settle = async (containers: Record<string, string>) => {
  const done: string[] = []
  await settleAside({
    listContainers: async () =>
      Object.entries(containers).map(([name, State]) => ({ Id: name, Names: [`/${name}`], State }) as ContainerInfo),
    removeContainer: async (id) => void done.push(`remove ${id}`),
    renameContainer: async (id, name) => void done.push(`${id} becomes ${name}`),
  })
  return done
}

test('one whose successor runs is removed', async () => {
  expect(await settle({ 'w.aside-start': 'exited', w: 'running' })).toEqual(['remove w.aside-start'])
})
test('one without a successor, or with one that does not run, takes its place again', async () => {
  expect(await settle({ 'w.aside-start': 'exited' })).toEqual(['w.aside-start becomes w'])
  expect(await settle({ 'w.aside-start': 'exited', w: 'restarting' })).toEqual(['remove w', 'w.aside-start becomes w'])
})
test('what a deploy keeps aside is the business of that deploy', async () => {
  expect(await settle({ 'w.aside-7': 'exited', w: 'exited' })).toEqual([])
})
