import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { nodeProgram } from '../rigs/built.ts'
import { freshFolder } from '../rigs/folder.ts'
import { type Bench, measure, median } from './bench.ts'
import { benches } from './benches.ts'
import { choose } from './choose.ts'
import { within } from './frames.ts'
import { atLeast, atLeastTimes, atMost, atMostTimes } from './target.ts'

function bench(...args: string[]) {
  const main = path.join(import.meta.dirname, 'main.ts')
  return spawnSync(nodeProgram, ['--no-warnings', main, ...args], { encoding: 'utf8', timeout: 50_000 })
}

test('an unknown name is refused, and all names are told', () => {
  const { status, stderr } = bench('--only', 'agent,nothing')
  expect(status).toBe(2)
  expect(stderr).toMatch(/"nothing"/)
  expect(stderr).toMatch(/agent\.start, agent\.idle/)
})

test('a first word stands for all that begin with it', () => {
  const names = bench('--only', 'agent,audit.insert', '--list')
    .stdout.split('\n')
    .map((line) => line.split(' ')[0])
  expect(names.filter(Boolean)).toEqual([
    'agent.start',
    'agent.idle',
    'agent.own',
    'agent.get',
    'agent.health',
    'agent.health-p99',
    'agent.workers',
    'agent.workers-p99',
    'audit.insert',
  ])
})

test('what was found is written as JSON', () => {
  const { folder, remove } = freshFolder('json')
  const file = path.join(folder, 'found.json')
  const { status, stdout } = bench('--only', 'audit', '--json', file)
  expect(status).toBe(0)
  expect(stdout).toMatch(/audit\.insert/)
  const [found] = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>[]
  remove()
  expect(Object.keys(found ?? {}).sort()).toEqual(
    ['name', 'ours', 'yardstick', 'against', 'ratio', 'unit', 'target', 'met', 'runs'].sort(),
  )
  expect(found?.['ratio']).toBeCloseTo(Number(found?.['ours']) / Number(found?.['yardstick']), 2)
})

/** The names of the specification's table. */
const promised = [
  ...['live.click', 'live.updates', 'live.scroll', 'cdp.rtt', 'cdp.deep', 'cdp.reply', 'cdp.filtered'],
  ...['tunnel.down', 'tunnel.up', 'tunnel.rtt', 'tunnel.channels', 'tunnel.fifty', 'logs.live', 'logs.socket'],
  ...['logs.history', 'logs.slow', 'logs.view', 'terminal.output', 'takeover.take', 'takeover.back', 'engine.switch'],
  ...['console.start', 'agent.start', 'agent.idle', 'agent.get', 'fleet.cpu', 'fleet.memory', 'fleet.change'],
  ...['fleet.table', 'audit.insert', 'store.open', 'store.last50'],
]

test('every bench that was promised is there, once, and can be asked for by its name', () => {
  const names = benches.map(({ name }) => name)
  expect(promised.filter((name) => !names.includes(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  for (const name of promised) expect(choose(benches, name).map((bench) => bench.name)).toContain(name)
  for (const { name, unit, against, target } of benches) {
    expect([name, unit, against, target.text].every((text) => text.length > 0)).toBe(true)
  }
})

test('sides take turns, change places, and warm-ups are not counted', async () => {
  const order: string[] = []
  const side = (name: string, values: number[]) => async () => {
    order.push(name)
    return values.shift() ?? Number.NaN
  }
  const sides = { ours: side('o', [999, 4, 2, 3]), yardstick: side('y', [999, 1, 2, 3]) }
  const fake: Bench = {
    ...{ name: 'a.b', unit: 'ms', against: 'nothing', target: atMostTimes(1.5), runs: 3, warmups: 1 },
    open: async () => sides,
  }
  expect(await measure(fake, () => {})).toMatchObject({ ours: 3, yardstick: 2, ratio: 1.5, met: true, runs: 3 })
  expect(order.join('')).toBe('oyyooyyo')
})

test('targets and medians', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
  expect(() => median([])).toThrow()
  expect(atMostTimes(2).isMet({ ours: 9, ratio: 2.01 })).toBe(false)
  expect(atLeastTimes(0.9).isMet({ ours: 9, ratio: 0.89 })).toBe(false)
  expect(atLeastTimes(0.9).isMet({ ours: 9, ratio: 0.9 })).toBe(true)
  expect(atLeast(60, 'fps').isMet({ ours: 59, ratio: 2 })).toBe(false)
  expect(within([1, 2, 3, 40])).toBe(40)
  expect(within([...Array(95).fill(10), ...Array(5).fill(40)])).toBe(10)
  expect(() => within([])).toThrow()
  expect(atMost(60, 'MB').isMet({ ours: 61, ratio: 0.1 })).toBe(false)
})
