import type { Target } from './target.ts'

/** Both sides of a measurement, ready to be run in turns. */
export interface Sides {
  ours: () => Promise<number>
  yardstick: () => Promise<number>
  close?: () => Promise<void>
}

export interface Bench {
  /** As in the specification's table: `agent.start`. */
  name: string
  unit: string
  /** What the yardstick is, in words. */
  against: string
  target: Target
  /** How often each side runs, not counting the warm-up. */
  runs: number
  /** Turns of both sides that are not counted, because caches are cold. */
  warmups: number
  open: () => Promise<Sides>
}

export interface Finding {
  name: string
  /** Median over the runs, in `unit`. */
  ours: number
  yardstick: number
  against: string
  ratio: number
  unit: string
  target: string
  met: boolean
  runs: number
}

/**
 * Runs both sides in turns, and each round in the other order: what else the machine does then falls on both, and
 * neither always profits from the other's warm caches.
 */
export async function measure(bench: Bench, onRound: (round: number, of: number) => void): Promise<Finding> {
  const sides = await bench.open()
  const ours: number[] = []
  const yardstick: number[] = []
  try {
    const rounds = bench.warmups + bench.runs
    for (let round = 0; round < rounds; round++) {
      onRound(round + 1, rounds)
      const order = round % 2 === 0 ? (['ours', 'yardstick'] as const) : (['yardstick', 'ours'] as const)
      for (const side of order) {
        const value = await sides[side]()
        if (round < bench.warmups) continue
        if (side === 'ours') ours.push(value)
        else yardstick.push(value)
      }
    }
  } finally {
    await sides.close?.()
  }
  const [own, other] = [median(ours), median(yardstick)]
  const ratio = own / other
  return {
    name: bench.name,
    ours: rounded(own),
    yardstick: rounded(other),
    against: bench.against,
    ratio: rounded(ratio),
    unit: bench.unit,
    target: bench.target.text,
    met: bench.target.isMet({ ours: own, ratio }),
    runs: bench.runs,
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) throw new Error('There is no median of nothing.')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** Four significant figures: more would pretend to know. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
