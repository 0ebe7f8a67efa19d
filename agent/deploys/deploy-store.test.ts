import { afterEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { DeployStore } from './deploy-store.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

test('an old container may be ending from when that is asked for until somebody heard that it has, or it is back', () => {
  const { folder, remove } = freshFolder('deploys')
  const store = new DeployStore(folder)
  ends.push(remove, () => store.close())
  const plan = { images: {}, previous: {}, instances: [] }
  const { id } = store.begin({ imageTag: 'v1', kind: 'deploy', force: false, plan, operator: null })
  const mayBeEnding = () => ['api', 'worker'].map((name) => store.mayBeEnding(id, name))
  expect(mayBeEnding()).toEqual([false, false])
  const stopped = store.beginStep(id, 'stop', 'stop', 'api')
  expect(mayBeEnding()).toEqual([true, false])
  stopped('Docker went away')
  expect(mayBeEnding()).toEqual([true, false])
  store.beginStep(id, 'stop', 'stop', 'worker')()
  expect(mayBeEnding()).toEqual([true, false])
  const back = store.beginStep(id, 'restore', 'put-back', 'api')
  expect(mayBeEnding()).toEqual([true, false])
  back()
  expect(mayBeEnding()).toEqual([false, false])
})
