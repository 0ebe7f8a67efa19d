import fs from 'node:fs/promises'
import os from 'node:os'
import type { Metrics } from '../../shared/contract/machine.ts'
import { type CpuTimes, cpuTimes, type NetworkBytes, networkBytes } from './system-counters.ts'

/** A closer look than this would only measure the looking. */
const minIntervalMs = 500

interface Sample extends CpuTimes, NetworkBytes {
  at: number
}

/** Load since the last look; nothing runs in between, so that an idle machine stays idle. */
export class MetricsService {
  readonly #disk: string
  #last: Sample | undefined
  #latest: Metrics | undefined
  #measuring: Promise<Metrics> | undefined

  constructor(dataDir: string) {
    this.#disk = dataDir
  }

  /** Several callers at once share one measurement. */
  read(): Promise<Metrics> {
    if (this.#latest !== undefined && this.#last !== undefined && performance.now() - this.#last.at < minIntervalMs) {
      return Promise.resolve(this.#latest)
    }
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined
    })
    return this.#measuring
  }

  async #measure(): Promise<Metrics> {
    const before = this.#last ?? (await this.#firstSample())
    const now = await sample()
    const seconds = (now.at - before.at) / 1000
    const disk = await fs.statfs(this.#disk)
    const total = os.totalmem()
    const used = total - os.freemem()
    const { diskUsed, diskTotal, diskPercent } = diskUse(disk)
    this.#last = now
    this.#latest = {
      cpu: { usagePercent: percent(now.busy - before.busy, now.total - before.total), cores: os.cpus().length },
      memory: { usedMb: round(used / 2 ** 20), totalMb: round(total / 2 ** 20), usagePercent: percent(used, total) },
      disk: {
        usedGb: round(diskUsed / 2 ** 30),
        totalGb: round(diskTotal / 2 ** 30),
        usagePercent: diskPercent,
      },
      network: {
        rxBytesPerSec: Math.max(0, Math.round((now.rx - before.rx) / seconds)),
        txBytesPerSec: Math.max(0, Math.round((now.tx - before.tx) / seconds)),
      },
    }
    return this.#latest
  }

  /** The very first look has nothing to compare with: it looks twice, a moment apart. */
  async #firstSample(): Promise<Sample> {
    const first = await sample()
    await new Promise((resolve) => setTimeout(resolve, 100))
    return first
  }
}

/** As df says it: what is kept for root is neither used nor there for others. */
export function diskUse(disk: { blocks: number; bfree: number; bavail: number; bsize: number }) {
  const used = disk.blocks - disk.bfree
  return {
    diskUsed: used * disk.bsize,
    diskTotal: disk.blocks * disk.bsize,
    diskPercent: percent(used, used + disk.bavail),
  }
}

async function sample(): Promise<Sample> {
  const [cpu, network] = await Promise.all([cpuTimes(), networkBytes()])
  return { at: performance.now(), ...cpu, ...network }
}

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : round(Math.min(100, Math.max(0, (part / whole) * 100)))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
