import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { leadsOut } from './system-counters.ts'

const ip = (...args: string[]) => void execFileSync('ip', args, { stdio: 'ignore' })
const canMakeBridges = process.platform === 'linux' && process.getuid?.() === 0

test.runIf(canMakeBridges)("Docker's bridge and what is plugged into it are not counted beside the card", () => {
  const number = process.pid % 100_000
  const [bridge, inside, outside] = [`ph-b${number}`, `ph-i${number}`, `ph-o${number}`]
  ip('link', 'add', bridge, 'type', 'bridge')
  try {
    ip('link', 'add', inside, 'type', 'veth', 'peer', 'name', outside)
    expect([bridge, inside, outside].map(leadsOut)).toEqual([false, true, true])
    ip('link', 'set', inside, 'master', bridge)
    // The other end is an interface like any other: a machine in a namespace has no other.
    expect([bridge, inside, outside].map(leadsOut)).toEqual([false, false, true])
    ip('link', 'del', inside)
  } finally {
    ip('link', 'del', bridge)
  }
})
