import { expect, test } from 'vitest'
import { parseSegments, SharedMemory } from './shared-memory.ts'

const table = `       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap
         0      65536   600                  5120  4232  4079      0     0     0     0     0 1795020815 1795020816 1795020815                  8192                     0
         0      65537  1600               3686400  4232  4079      2     0     0     0     0 1795020815 1795020816 1795020815               3686400                     0
        77      65538   600                  4096   849  4079      1     0     0     0     0 1795020815 1795020816 1795020815                  4096                     0
`

const segment = { id: 1, key: 0, creator: 7, attached: 2, marked: false }

test('the kernel’s table is read by its names', () => {
  expect(parseSegments(table)).toEqual([
    { id: 65536, key: 0, creator: 4232, attached: 0, marked: false },
    { id: 65537, key: 0, creator: 4232, attached: 2, marked: true },
    { id: 65538, key: 77, creator: 849, attached: 1, marked: false },
  ])
  expect(parseSegments('')).toEqual([])
})

test('only what the program itself made is removed, and nothing that was there before it', () => {
  const memory = new SharedMemory([{ ...segment, id: 3 }])
  const there = [
    segment,
    { ...segment, id: 2, creator: 8 },
    { ...segment, id: 3 },
    { ...segment, id: 4, key: 77 },
    { ...segment, id: 5, marked: true },
  ]
  expect(memory.toRelease(7, true, there)).toEqual([1])
  expect(memory.toRelease(7, false, there)).toEqual([1])
})

test('one that nobody is attached to is left to a program that runs, and removed after its end', () => {
  const memory = new SharedMemory([])
  expect(memory.toRelease(7, true, [{ ...segment, attached: 0 }])).toEqual([])
  expect(memory.toRelease(7, false, [{ ...segment, attached: 0 }])).toEqual([1])
})
