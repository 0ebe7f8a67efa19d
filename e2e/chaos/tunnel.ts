import { parseArgs } from 'node:util'
import { median } from '../bench/bench.ts'
import { type Cut, cutTunnel } from './tunnel-cuts.ts'

/** Cuts a tunnel many times and prints how long it took to notice and to come back. `--times 100` unless told. */
const { values } = parseArgs({ options: { times: { type: 'string', default: '100' } } })
const times = Number(values.times)
let done = 0
const result = await cutTunnel(times, ({ kind, noticedMs, backMs }) => {
  const figures = `noticed ${seconds(noticedMs)}, back ${seconds(backMs)}`
  process.stdout.write(`${String(++done).padStart(4)}/${times} ${kind.padEnd(14)} ${figures}\n`)
})
for (const kind of ['reset', 'silence', 'interface down'] as const) {
  const cuts = result.cuts.filter((cut) => cut.kind === kind)
  if (cuts.length > 0) process.stdout.write(`${kind}: ${cuts.length} cuts, ${summary(cuts)}\n`)
}
const { cuts: _cuts, ...rest } = result
process.stdout.write(`${JSON.stringify(rest)}\n`)
const wrong = [result.doubled, result.lost, result.logDoubled, result.logLost].flat()
process.exit(wrong.length > 0 ? 1 : 0)

function summary(cuts: readonly Cut[]): string {
  const noticed = cuts.map(({ noticedMs }) => noticedMs)
  const back = cuts.map(({ backMs }) => backMs)
  return (
    `noticed after ${seconds(median(noticed))} (at most ${seconds(Math.max(...noticed))}), ` +
    `back after ${seconds(median(back))} (at most ${seconds(Math.max(...back))})`
  )
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
