import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { killWriter } from '../../e2e/rigs/killed-writer.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { AuditLog } from './audit.service.ts'

const kills = times(12, 1000)

test(`a writer killed ${kills} times loses no acknowledged row, and the chain stays sound`, async () => {
  const { folder, remove } = freshFolder('killed')
  try {
    const acknowledged: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      acknowledged.push(
        ...(await killWriter(path.join(import.meta.dirname, 'writer-rig.ts'), [folder], 1 + (kill % 17))),
      )
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills)
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
    const audit = new AuditLog(folder)
    expect(audit.verify()).toMatchObject({ sound: true, broken: null })
    const lost = acknowledged.filter((id) => audit.hashAt(id) === null)
    expect(lost).toEqual([])
    // Each life's last intent may have had no time for a result; the next start says so.
    expect(audit.list({ page: 1, pageSize: 1 }).entries[0]?.result).not.toBe('pending')
    audit.close()
    const database = new DatabaseSync(path.join(folder, 'audit.db'))
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    database.close()
  } finally {
    remove()
  }
}, 900_000)
