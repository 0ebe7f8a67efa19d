import { expect, test } from 'vitest'
import type { EngineKind } from './engine.ts'
import { engineKinds, inspectEngines, loadEngine } from './registry.ts'

const missing: EngineKind = {
  name: 'magnitude',
  package: '@nobody/not-there@1.2.3',
  load: () => import('@nobody/not-there' as string),
  create: () => {
    throw new Error('it cannot be made')
  },
}

test('an engine that is not installed is said to be, with the command that brings it; the others go on', async () => {
  expect(inspectEngines({ ...engineKinds, magnitude: missing })).toMatchObject({
    available: true,
    detail: 'stagehand; not installed: magnitude',
    install: expect.stringMatching(/^npm install .* @nobody\/not-there@1\.2\.3$/) as string,
  })
  expect(inspectEngines({ stagehand: missing, magnitude: missing })).toMatchObject({ available: false })
  await expect(loadEngine(missing)).rejects.toMatchObject({
    ...{ code: 'install-required', status: 424, extra: { installCommand: expect.stringContaining('npm install') } },
  })
})

test('a library that is there and broken is not called missing', async () => {
  const load = () => Promise.reject(new Error('a file of it is damaged'))
  await expect(loadEngine({ ...missing, load })).rejects.toMatchObject({
    ...{ code: 'engine-failed', message: expect.stringContaining('damaged') as string },
  })
})
