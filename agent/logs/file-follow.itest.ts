import fs from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { followFile } from './file-follow.ts'
import { entryTime } from './json-file.ts'

/** Keeps this thread busy, as a machine under load does. */
function hog(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test.each([0, 40])('rotated faster than it is read, by a reader that is held up for %i ms at a time', async (held) => {
  for (let round = 0; round < times(1, 20); round++) {
    const { folder, remove } = freshFolder('rotation')
    const file = path.join(folder, 'x.log')
    fs.writeFileSync(file, '')
    const total = 5000
    const writer = new Worker(path.join(import.meta.dirname, 'test-rotation.ts'), {
      workerData: { file, total, fileBytes: 8000, files: 80 },
    })
    const busy = setInterval(() => hog(held), held + 3)
    const done = new AbortController()
    const seen: number[] = []
    try {
      const options = { path: file, from: '2001', timeOf: entryTime, signal: done.signal }
      for await (const lines of followFile(options)) {
        seen.push(...lines.map((line) => Number((JSON.parse(line) as { log: string }).log)))
        if (seen.at(-1) === total) done.abort()
      }
    } finally {
      clearInterval(busy)
      await writer.terminate()
      remove()
    }
    expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1))
  }
})
