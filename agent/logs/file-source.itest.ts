import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { LogLine } from '../../shared/contract/logs.ts'
import { nanoTimeOf } from '../../shared/domain/log-time.ts'
import { FileSource } from './file-source.ts'
import { adspowerSource, type LogPlaces, systemSource } from './other-sources.ts'

let folder: string
let remove: () => void
let file: string
let number = 0

beforeEach(() => {
  ;({ folder, remove } = freshFolder('logfiles'))
  file = path.join(folder, 'syslog')
  fs.writeFileSync(file, '')
})
afterEach(() => remove())

const write = (count: number) => {
  const lines = Array.from({ length: count }, () => `${new Date().toISOString()} host test[1]: ${++number}\n`)
  fs.appendFileSync(file, lines.join(''))
}
const numbers = (lines: readonly LogLine[]) => lines.map(({ message }) => Number(message.split(' ').at(-1)))
const upTo = (from: number) => Array.from({ length: number - from }, (_, index) => from + 1 + index)
const beginning = { timestamp: nanoTimeOf(0), seq: 0 }

function follow(source: FileSource, after = beginning): { lines: LogLine[]; stop: () => void } {
  const lines: LogLine[] = []
  const stop = source.follow(after, { lines: (more) => void lines.push(...more), notice: () => {} })
  return { lines, stop }
}

test('a file is followed through rotation and truncation', async () => {
  const from = number
  const { lines, stop } = follow(new FileSource(file, 'system'))
  write(100)
  await until('the first', () => lines.length === 100)
  for (let turn = 0; turn < 5; turn++) {
    write(50)
    fs.renameSync(file, `${file}.1`)
    fs.writeFileSync(file, '')
    write(50)
    await until('both files', () => numbers(lines).at(-1) === number)
  }
  fs.truncateSync(file, 0)
  await until('the look at the empty file', () => fs.statSync(file).size === 0)
  await new Promise((resolve) => setTimeout(resolve, 1200))
  write(20)
  await until('what was written anew', () => numbers(lines).at(-1) === number)
  expect(numbers(lines)).toEqual(upTo(from))
  stop()
})

test('what is written before a file is copied and emptied is read from the copy, and from no other file', async () => {
  const from = number
  const { lines, stop } = follow(new FileSource(file, 'system'))
  write(100)
  await until('the first', () => lines.length === 100)
  for (const isCopy of [true, false, true]) {
    // Later than the look at what was there, of which nothing is told.
    await new Promise((resolve) => setTimeout(resolve, 300))
    if (isCopy) {
      write(50)
      fs.copyFileSync(file, `${file}.1`)
    } else fs.writeFileSync(`${file}.1`, fs.readFileSync(file, 'utf8').replace('2', '1').repeat(3))
    fs.truncateSync(file, 0)
    await new Promise((resolve) => setTimeout(resolve, 1200))
    write(20)
    await until('what was written anew', () => numbers(lines).at(-1) === number)
  }
  expect(numbers(lines)).toEqual(upTo(from))
  stop()
})

test('files that are named by their day are read like numbered ones, also by whoever was away when they were', async () => {
  const from = number
  const source = new FileSource(file, 'system')
  const first = follow(source)
  // Left over from before their names changed.
  fs.writeFileSync(`${file}.1`, '2026-01-01T00:00:00Z host test[1]: 0\n')
  fs.utimesSync(`${file}.1`, 1, 1)
  for (const name of ['-20260101', '-20260102']) {
    write(20)
    await until('them', () => numbers(first.lines).at(-1) === number)
    fs.renameSync(file, file + name)
    fs.writeFileSync(file, '')
  }
  first.stop()
  write(5)
  for (const name of ['-20260103', '-2026010304']) {
    write(5)
    fs.renameSync(file, file + name)
    fs.writeFileSync(file, '')
    write(5)
  }
  const last = first.lines.at(-1)
  const rest = follow(source, { timestamp: last?.timestamp ?? '', seq: last?.seq ?? 0 })
  await until('what came meanwhile', () => numbers(rest.lines).at(-1) === number)
  expect(numbers([...first.lines, ...rest.lines])).toEqual(upTo(from))
  rest.stop()
  const { lines } = await source.history({ lines: 1000, since: undefined, search: undefined })
  expect(numbers(lines)).toEqual(upTo(from))
})

test('it is resumed at any line, also where many have the same second', async () => {
  const from = number
  const second = '2026-01-01T00:00:00Z'
  const text = Array.from({ length: 300 }, () => `${second} host test[1]: ${++number}\n`).join('')
  fs.writeFileSync(file, text)
  const source = new FileSource(file, 'system')
  const { lines: all, stop } = follow(source)
  await until('all', () => all.length === 300)
  stop()
  for (const index of [0, 1, 137, 298]) {
    const last = all[index]
    const rest = follow(source, { timestamp: last?.timestamp ?? '', seq: last?.seq ?? 0 })
    await until('the rest', () => rest.lines.length === 299 - index)
    expect(numbers(rest.lines)).toEqual(upTo(from + index + 1))
    rest.stop()
  }
})

test.each([
  ['a clock that is behind', (n: number) => `2020-01-01T00:00:${String(n % 60).padStart(2, '0')}Z test: ${n}`],
  ['a clock that is ahead', (n: number) => `2090-01-01 00:00:00 test: ${n}`],
  ['no time at all', (n: number) => `test: ${n}`],
])('what is written from now on comes, from a writer with %s', async (_, lineOf) => {
  const append = (text: string) => fs.appendFileSync(file, text)
  const next = () => `${lineOf(++number)}\n`
  append(next() + next())
  append(lineOf(++number).slice(0, 4))
  const unfinished = number
  const { lines, stop } = follow(new FileSource(file, 'system'), {
    timestamp: nanoTimeOf(Date.now()),
    seq: 999_999_999,
  })
  // The end is looked for when it begins, which is not told.
  await new Promise((resolve) => setTimeout(resolve, 300))
  append(`${lineOf(unfinished).slice(4)}\n`)
  for (let turn = 0; turn < 3; turn++) {
    append(next() + next())
    await until('them', () => numbers(lines).at(-1) === number)
  }
  // What says of itself that it is of later than now comes as well.
  const wanted = upTo(unfinished - 1)
  expect(numbers(lines).slice(-wanted.length)).toEqual(wanted)
  const places = lines.map(({ timestamp, seq }) => `${timestamp}#${String(seq).padStart(9, '0')}`)
  expect(new Set(places).size).toBe(places.length)
  stop()
})

test('a file without times is followed on by whoever comes back', async () => {
  fs.appendFileSync(file, `test: ${++number}\n`)
  const from = number
  const { lines, stop } = follow(new FileSource(file, 'system'), { timestamp: nanoTimeOf(Date.now()), seq: 3 })
  await new Promise((resolve) => setTimeout(resolve, 300))
  fs.appendFileSync(file, `test: ${++number}\ntest: ${++number}\n`)
  await until('the new ones', () => lines.length === 2)
  expect(numbers(lines)).toEqual(upTo(from))
  stop()
})

test('an empty file is followed from its beginning, whatever is written to it first', async () => {
  const from = number
  const { lines, stop } = follow(new FileSource(file, 'system'))
  fs.appendFileSync(file, `test: ${++number}\ntest: ${++number}\n`)
  await until('both', () => lines.length === 2)
  fs.appendFileSync(file, `test: ${++number}\n`)
  await until('the third', () => lines.length === 3)
  expect(numbers(lines)).toEqual(upTo(from))
  stop()
})

test('the last lines come from the end, through the rotated files', async () => {
  write(3000)
  fs.renameSync(file, `${file}.1`)
  write(1000)
  const source = new FileSource(file, 'system')
  const query = { since: undefined, search: undefined }
  expect(numbers((await source.history({ lines: 2500, ...query })).lines)).toEqual(upTo(number - 2500))
  const all = await source.history({ lines: 5000, ...query })
  expect([all.lines.length, all.truncated]).toEqual([4000, false])
  const found = await source.history({ lines: 5, since: undefined, search: `: ${number - 3500}` })
  expect(numbers(found.lines)).toEqual([number - 3500])
})

test('traces of several programs stay together in a system log, whole or read in pieces', async () => {
  const trace = (words: string[], pid: number, second: number) =>
    words.map((word) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.5+00:00 host app[${pid}]: ${word}`)
  const node = ['TypeError: no', '    at f (a.js:1:2)', '    at g (b.js:3:4)']
  const python = ['Traceback (most recent call last):', '  File "x.py", line 1', 'ValueError: 1']
  const text = Array.from({ length: 30 }, (_, second) => [
    ...[...trace(node, 1, second), ...trace(python, 2, second), ...trace(['up'], 1, second)],
  ]).flat()
  fs.writeFileSync(file, `${text.join('\n')}\n`)
  const whole = text.flatMap((line, index) => {
    if (index % 7 === 0) return [[line, ...node.slice(1)].join('\n')]
    if (index % 7 === 3) return [[line, ...python.slice(1)].join('\n')]
    return index % 7 === 6 ? [line] : []
  })
  const source = new FileSource(file, 'system')
  for (const lines of [1, 2, 3, 50, 500]) {
    const history = await source.history({ lines, since: undefined, search: undefined })
    expect(history.lines.map(({ message }) => message)).toEqual(whole.slice(-lines))
  }
  const { lines, stop } = follow(source)
  await until('all', () => lines.length === whole.length)
  expect(lines.map(({ message }) => message)).toEqual(whole)
  stop()
})

const isRoot = process.getuid?.() === 0
test.skipIf(!isRoot)('one that may not be read is not taken for an empty one (needs root to become another)', () => {
  fs.writeFileSync(file, 'a line\n')
  fs.chmodSync(file, 0o640)
  fs.chmodSync(folder, 0o755)
  const script = `
    import { systemSource } from ${JSON.stringify(path.join(import.meta.dirname, 'other-sources.ts'))}
    process.setgroups([]); process.setgid(65534); process.setuid(65534)
    try { systemSource({ journals: [], journalctl: undefined, syslogs: [process.argv[1]], adspower: [] }, '/') }
    catch (error) { process.stdout.write(error.code + ' ' + error.message) }`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, file], { encoding: 'utf8' })
  expect(run.stdout, run.stderr).toContain(`forbidden The agent may not read ${file}.`)
})

test('what is not there is said, with what to do', () => {
  const none: LogPlaces = {
    journals: [],
    journalctl: undefined,
    syslogs: [path.join(folder, 'no')],
    adspower: [folder],
  }
  expect(() => systemSource(none, folder)).toThrow('neither a journal nor a syslog')
  expect(() => adspowerSource(none)).toThrow('PILOTHOUSE_ADSPOWER_LOGS')
  fs.writeFileSync(path.join(folder, 'main.log'), '[2026-01-01 00:00:00.1] [error] no\n')
  expect(adspowerSource(none)).toBeInstanceOf(FileSource)
})
