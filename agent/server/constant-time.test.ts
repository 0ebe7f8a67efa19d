import { expect, test, vi } from 'vitest'

const compared = vi.hoisted((): [number, number][] => [])
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>()
  const timingSafeEqual: typeof crypto.timingSafeEqual = (a, b) => {
    compared.push([a.byteLength, b.byteLength])
    return crypto.timingSafeEqual(a, b)
  }
  return { ...crypto, timingSafeEqual }
})

const { SecretChecker } = await import('./secrets.ts')
const [now, next] = ['a'.repeat(40), 'b'.repeat(50)]

/** How a secret is told from another cannot be seen from outside, and must not be. */
test('whatever is sent, its hash is compared in constant time with every secret that holds', () => {
  const checker = new SecretChecker(now)
  for (const given of [now, '', 'a', `${now}x`, 'a'.repeat(39), 'x'.repeat(10_000)]) {
    compared.length = 0
    expect(checker.matches(given)).toBe(given === now)
    expect(compared).toEqual([[32, 32]])
  }
  checker.rotate(next)
  for (const given of [next, now, 'neither']) {
    compared.length = 0
    expect(checker.matches(given)).toBe(given !== 'neither')
    // Both, even where the first is right: how long it takes does not tell which one it was.
    expect(compared).toEqual([
      [32, 32],
      [32, 32],
    ])
  }
})
