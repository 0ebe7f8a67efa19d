import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 250
const samples = 12
const limitMs = 30_000

/** The value once it has stopped moving: within one percent over three seconds. */
export async function settled(read: () => number): Promise<number> {
  const seen: number[] = []
  for (const began = performance.now(); performance.now() - began < limitMs; ) {
    seen.push(read())
    const last = seen.slice(-samples)
    if (last.length === samples && Math.max(...last) <= Math.min(...last) * 1.01) return last.at(-1) ?? 0
    await sleep(everyMs)
  }
  throw new Error(`It did not settle within ${limitMs / 1000} s: ${seen.slice(-samples).join(', ')}`)
}
