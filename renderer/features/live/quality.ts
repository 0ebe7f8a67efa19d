/** How good the picture is, and how much is spent on making it small. */
export interface Quality {
  /** JPEG quality of the VNC server, 0 to 9. */
  vnc: number
  /** How hard the VNC server compresses, 0 to 9. */
  compression: number
  /** JPEG quality of the screencast, in percent. */
  jpeg: number
}

export const qualities = {
  best: { vnc: 8, compression: 2, jpeg: 80 },
  good: { vnc: 6, compression: 4, jpeg: 60 },
  low: { vnc: 3, compression: 6, jpeg: 40 },
  least: { vnc: 0, compression: 9, jpeg: 20 },
} as const satisfies Record<string, Quality>
export type QualityName = keyof typeof qualities

/** `auto` goes by what the connection carries. */
export const qualityChoices = {
  auto: 'By the connection',
  best: 'Best',
  good: 'Good',
  low: 'Low',
  least: 'Least data',
} as const satisfies Record<QualityName | 'auto', string>
export type QualityChoice = keyof typeof qualityChoices

const mbit = 1_000_000

/** What a connection of so many bits per second carries without falling behind; best while nothing is known. */
export function qualityFor(bitsPerSecond: number | null): QualityName {
  if (bitsPerSecond === null || bitsPerSecond >= 8 * mbit) return 'best'
  if (bitsPerSecond >= 3 * mbit) return 'good'
  return bitsPerSecond >= mbit ? 'low' : 'least'
}

/** Smaller pieces say nothing of the connection: they are small because little changed. */
const largeBytes = 8 * 1024
/** After this long the connection was idle, not slow. */
const idleMs = 2000
const keptSamples = 12

/**
 * Estimates what the connection carries from the large pieces of a picture as they arrive. Each is a lower bound,
 * because the machine may have had no more to send; so the best of the last few counts.
 */
export function bandwidthMeter() {
  const samples: number[] = []
  let last: number | null = null
  return {
    add(bytes: number, at: number): void {
      const before = last
      last = at
      if (bytes < largeBytes || before === null || at - before > idleMs) return
      // Pieces that came in one turn of the window have no measurable time between them.
      samples.push((bytes * 8 * 1000) / Math.max(1, at - before))
      if (samples.length > keptSamples) samples.shift()
    },
    get bitsPerSecond(): number | null {
      return samples.length < 3 ? null : Math.max(...samples)
    },
  }
}
