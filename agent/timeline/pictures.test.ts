import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { PictureFiles } from './pictures.ts'

const { folder, remove } = freshFolder('pictures')
afterAll(remove)
const jpeg = (bytes: number) => new Uint8Array(bytes).fill(7)

test('pictures are bounded in number and bytes, the oldest go first and are named', () => {
  const dropped: string[] = []
  const files = new PictureFiles(path.join(folder, 'a'), (id) => dropped.push(id), { count: 5, bytes: 3000 })
  const added = Array.from({ length: 12 }, () => files.add(jpeg(500)))
  // Names of the same millisecond sort by chance, so only how many are left is certain.
  expect(files.list()).toHaveLength(5)
  expect(dropped).toHaveLength(7)
  expect([...dropped, ...files.list().map(({ id }) => id)].sort()).toEqual([...added].sort())
  files.add(jpeg(2800))
  expect(files.list().reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(3000)
  expect(files.add(jpeg(3001))).toBeNull()
})

test('a picture is readable by its owner only, and nothing outside the folder is a picture', () => {
  const files = new PictureFiles(path.join(folder, 'b'), () => {})
  const id = files.add(jpeg(10)) ?? ''
  const dir = path.join(folder, 'b', 'timeline-pictures')
  expect(readdirSync(dir)).toEqual([`${id}.jpg`])
  expect(statSync(path.join(dir, `${id}.jpg`)).mode & 0o777).toBe(0o600)
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(files.read(id)).toHaveLength(10)
  writeFileSync(path.join(folder, 'secret.jpg'), 'canary')
  symlinkSync(path.join(folder, 'secret.jpg'), path.join(dir, 'link.jpg'))
  mkdirSync(path.join(dir, 'dir.jpg'))
  for (const name of ['link', 'dir', '../../secret', 'gone']) {
    expect(() => files.read(name)).toThrow(expect.objectContaining({ code: 'not-found' }))
  }
})
