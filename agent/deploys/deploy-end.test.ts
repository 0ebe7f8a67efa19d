import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
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
