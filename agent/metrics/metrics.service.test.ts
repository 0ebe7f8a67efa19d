import { expect, test } from 'vitest'
import { diskUse } from './metrics.service.ts'

test('a disk is as full as df says: blocks kept for root are neither used nor free for others', () => {
  // 1000 blocks of 4 KiB: 300 used, 700 free, of which 200 are kept for root.
  expect(diskUse({ blocks: 1000, bfree: 700, bavail: 500, bsize: 4096 })).toEqual({
    diskUsed: 300 * 4096,
    diskTotal: 1000 * 4096,
    diskPercent: 37.5,
  })
})

test('a disk without blocks (some virtual file systems) is not full', () => {
  expect(diskUse({ blocks: 0, bfree: 0, bavail: 0, bsize: 4096 }).diskPercent).toBe(0)
})
