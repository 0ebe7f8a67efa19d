import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { lockFolder } from './folder-lock.ts'

let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('lock'))
})
afterEach(() => remove())
/** Longer than any test waits. */
const patient = 600_000

test('a folder is of one at a time: who comes second is refused, or waits until it is free', async () => {
  const release = await lockFolder(folder, 0)
  await expect(lockFolder(folder, 0)).rejects.toThrow(`Another agent uses ${folder}`)
  const waiting = lockFolder(folder, patient)
  release()
  const releaseSecond = await waiting
  await expect(lockFolder(folder, 0)).rejects.toThrow('Another agent')
  releaseSecond()
  releaseSecond()
  expect(statSync(path.join(folder, 'agent.lock'))).toMatchObject({ size: 0, mode: 0o100600 })
})

test('of another process it is until that ends, by kill -9 as well', async () => {
  const script = `
    import { lockFolder } from ${JSON.stringify(path.join(import.meta.dirname, 'folder-lock.ts'))}
    await lockFolder(process.argv[1], 0)
    process.stdout.write('locked')
    setInterval(() => {}, 1000)`
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], { stdio: [...stdio] })
  await once(child.stdout, 'data')
  await expect(lockFolder(folder, 0)).rejects.toThrow('Another agent')
  const waiting = lockFolder(folder, patient)
  child.kill('SIGKILL')
  ;(await waiting)()
})
