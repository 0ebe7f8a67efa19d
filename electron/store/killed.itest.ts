import path from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { killWriter } from '../../e2e/rigs/killed-writer.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { openStore } from './store.ts'

const kills = times(8, 1000)

test(`a console killed ${kills} times while it writes loses no acknowledged row, and its store stays sound`, async () => {
  const { folder, remove } = freshFolder('killed')
  try {
    const file = path.join(folder, 'console.db')
    const acknowledged: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      acknowledged.push(...(await killWriter(path.join(import.meta.dirname, 'writer-rig.ts'), [file], 1 + (kill % 13))))
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills)
    const store = openStore(file)
    expect(store.setAside).toBeUndefined()
    expect(store.connection.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(store.audit.verify()).toMatchObject({ sound: true })
    const kept = new Set(store.audit.list({ limit: 1_000_000 }).map(({ id }) => id))
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    expect(store.audit.last(1_000_000).filter(({ result }) => result === 'pending')).toEqual([])
    store.close()
  } finally {
    remove()
  }
}, 900_000)
