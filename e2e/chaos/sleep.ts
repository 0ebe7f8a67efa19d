import { parseArgs } from 'node:util'
import { sleepAndWake } from './sleep-wake.ts'

/** Puts a process with open tunnels to sleep and wakes it. `--minutes 10` unless told. */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const result = await sleepAndWake(Number(values.minutes) * 60_000)
process.stdout.write(
  `slept ${values.minutes} min, noticed ${result.woke} ×, back after ${(result.backMs / 1000).toFixed(2)} s\n`,
)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(result.lost.length + result.doubled.length > 0 || result.woke === 0 ? 1 : 0)
