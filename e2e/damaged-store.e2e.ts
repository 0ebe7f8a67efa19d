import fs from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { keepFleet } from './rigs/kept-fleet.ts'

const { folder, remove } = freshFolder('damaged-e2e')
afterAll(remove)

/** Whoever had machines yesterday must not be greeted as on the first day without a word. */
test('a store that cannot be read is put aside, and the empty console says so, also at its next start', async () => {
  const userData = path.join(folder, 'data')
  keepFleet(userData, [{ name: 'shop-1' }])
  fs.writeFileSync(path.join(userData, 'console.db'), Buffer.alloc(8192, 'A'))
  for (const start of ['first', 'second']) {
    const console = await startConsole({ userData })
    try {
      const problem = console.window.getByTestId('problem')
      await problem.waitFor()
      const aside = fs.readdirSync(userData).filter((name) => name.includes('.corrupt-'))
      expect(aside, start).toHaveLength(1)
      expect(await problem.innerText()).toContain(path.join(userData, aside[0] ?? ''))
      await console.window.getByTestId('try-local').waitFor()
    } finally {
      await console.stop()
    }
  }
}, 120_000)
