import path from 'node:path'
import { electronFolder } from '../rigs/built.ts'
import { freshFolder } from '../rigs/folder.ts'
import { startProgram } from '../rigs/program.ts'
import type { Bench, Sides } from './bench.ts'
import { atMost, atMostTimes } from './target.ts'

const machines = 1000
const seconds = 20
const runs = 3

interface Cost {
  cpuMs: number
  /** Resident memory beyond what the process had before it met a machine. */
  addedMb: number
  changeMs: number
}

/** The three benches look at the same runs: each is measured once, by whichever bench comes first. */
const found: Record<'fleet' | 'polling', Cost[]> = { fleet: [], polling: [] }

/** As the console ships: one bundle, with the database's native part beside it. */
async function bundle(): Promise<string> {
  const { build } = await import('esbuild')
  const outfile = path.join(import.meta.dirname, '..', '..', 'out', 'bench', 'fleet-console.mjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, 'fleet-console.ts')],
    outfile,
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node22', logLevel: 'silent', minify: true },
    external: ['better-sqlite3', 'bufferutil', 'utf-8-validate'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
  })
  return outfile
}

async function measure(mode: 'fleet' | 'polling', script: string): Promise<Cost> {
  const agents = await startProgram(process.execPath, [path.join(import.meta.dirname, 'fleet-agents.ts')])
  const { folder, remove } = freshFolder('fleet')
  try {
    const port = await agents.ready('the agents', () => Number.parseInt(agents.output(), 10) || undefined)
    const args = [script, mode, folder, String(port), String(machines), String(seconds)]
    // In Electron's own runtime, whose heap is not laid out like Node's; without a window.
    const runtime = path.join(electronFolder(), 'electron')
    const console = await startProgram(runtime, args, { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } })
    try {
      const text = await console.ready('the figures', () => /^\{.*\}$/m.exec(console.output())?.[0], 180_000)
      return JSON.parse(text) as Cost
    } finally {
      await console.end()
    }
  } finally {
    await agents.end()
    remove()
  }
}

async function open(value: (cost: Cost) => number, yardstick: (cost: Cost) => number = value): Promise<Sides> {
  const script = await bundle()
  const next = (mode: 'fleet' | 'polling') => {
    let index = 0
    return async () => {
      const cost = found[mode][index] ?? (await measure(mode, script))
      found[mode][index++] = cost
      return cost
    }
  }
  const [fleet, polling] = [next('fleet'), next('polling')]
  return { ours: async () => value(await fleet()), yardstick: async () => yardstick(await polling()) }
}

const poller = `asking ${machines} machines for control and load every 5 s with the same client`
const common = { runs, warmups: 0 }

export const fleetBenches: readonly Bench[] = [
  {
    ...common,
    name: 'fleet.cpu',
    unit: `ms of CPU in ${seconds} s`,
    against: poller,
    target: atMostTimes(0.3),
    open: () => open(({ cpuMs }) => cpuMs),
  },
  {
    ...common,
    name: 'fleet.memory',
    unit: 'MB',
    against: `what the machines add to the process, ${poller}`,
    target: atMost(100, 'MB'),
    open: () => open(({ addedMb }) => addedMb),
  },
  {
    ...common,
    name: 'fleet.change',
    unit: 'ms',
    against: 'the 5 s that a poller takes at worst; 95 % of changes, from the agent to the window',
    target: atMost(1000, 'ms'),
    open: () =>
      open(
        ({ changeMs }) => changeMs,
        () => 5000,
      ),
  },
]
