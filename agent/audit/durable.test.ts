import { expect, test, vi } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'

const opened = vi.hoisted((): { file: string; durable: boolean }[] => [])
vi.mock('../storage/database.ts', async (original) => {
  const database = await original<typeof import('../storage/database.ts')>()
  const openDatabase: typeof database.openDatabase = (file, migrations, durable) => {
    opened.push({ file, durable })
    return database.openDatabase(file, migrations, durable)
  }
  return { ...database, openDatabase }
})
const { AuditLog } = await import('./audit.service.ts')

/** A process that is killed loses nothing either way; a machine without power loses what was not synced. */
test('a row of the audit is on the disk before anything is done', () => {
  const { folder, remove } = freshFolder('durable')
  new AuditLog(folder).close()
  expect(opened).toEqual([{ file: expect.stringMatching(/audit\.db$/), durable: true }])
  remove()
})
