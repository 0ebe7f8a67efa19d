import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { Unhealthy } from './await-health.ts'
import { concludeUndo } from './deploy-end.ts'
import type { StoredDeploy } from './deploy-store.ts'

test('what Docker says without an end is a sentence before the next one', () => {
  const deploy = { imageTag: 'v1', plan: { images: {}, previous: {}, instances: [] } } as unknown as StoredDeploy
  const told = (why: string) => concludeUndo(deploy, new Problem('docker-refused', why), false, []).message
  expect(told('Docker: exec: "/start": no such file')).toBe(
    'Docker: exec: "/start": no such file. Nothing was changed.',
  )
  expect(told('Docker does not answer.')).toBe('Docker does not answer. Nothing was changed.')
})

test("behind a container's last lines, what runs now begins a line of its own", () => {
  const instances = [{ service: 'api', name: 'api', port: 1, oldId: 'x', wasAlive: true }]
  const deploy = { imageTag: 'v1', plan: { images: {}, previous: {}, instances } } as unknown as StoredDeploy
  expect(concludeUndo(deploy, new Unhealthy('api ended.', ['no database']), true, []).message).toBe(
    'api ended. Its last lines:\nno database\nWhat ran before runs again.',
  )
})
