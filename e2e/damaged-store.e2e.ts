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

test('where only the record is damaged the machines come along, and what is missing is told once', async () => {
  const userData = path.join(folder, 'part')
  const file = path.join(userData, 'console.db')
  let chain = [0, 0]
  keepFleet(userData, [{ name: 'shop-1' }], ({ connection }) => {
    const page = connection.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'audit_chain'").pluck().get()
    const size = Number(connection.pragma('page_size', { simple: true }))
    chain = [(Number(page) - 1) * size, Number(page) * size]
  })
  const bytes = fs.readFileSync(file)
  fs.writeFileSync(file, bytes.fill(0xee, ...chain))
  for (const told of [1, 0]) {
    const console = await startConsole({ userData })
    try {
      await console.window.getByTestId('fleet-table').getByText('shop-1').waitFor()
      // Told in the same answer as the version.
      await console.window.getByText(/^Pilothouse \d/).waitFor()
      expect(await console.window.getByTestId('problem').count()).toBe(told)
    } finally {
      await console.stop()
    }
  }
}, 120_000)
