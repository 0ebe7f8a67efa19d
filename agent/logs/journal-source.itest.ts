import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { type Program, runProgram, startProgram } from '../../e2e/rigs/program.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { LogLine } from '../../shared/contract/logs.ts'
import { type LogPosition, nanoTimeOf } from '../../shared/domain/log-time.ts'
import { findProgram } from '../processes/find-program.ts'
import { JournalSource } from './journal-source.ts'

const journald = '/lib/systemd/systemd-journald'
const missing =
  process.getuid?.() !== 0 || !fs.existsSync(journald) || findProgram(['journalctl', 'nsenter']) === undefined

let folder: string
let remove: () => void
let daemon: Program
let source: JournalSource

beforeAll(async () => {
  if (missing) return
  ;({ folder, remove } = freshFolder('journal'))
  // A journal of its own: /run is empty in its mount namespace.
  const script = 'mount -t tmpfs t /run && mkdir -p /run/log/journal /run/systemd/journal && exec "$0"'
  daemon = await startProgram('unshare', ['-m', '--propagation', 'private', 'sh', '-c', script, journald])
  const journal = `/proc/${daemon.pid}/root/run/log/journal`
  await daemon.ready('the journal', () => fs.readdirSync(journal).length > 0)
  const wrapper = path.join(folder, 'journalctl')
  fs.writeFileSync(wrapper, `#!/bin/sh\nexec journalctl --directory=${journal} "$@"\n`, { mode: 0o755 })
  source = new JournalSource(wrapper, 'system', folder)
  await daemon.ready('a journal that can be written', () => write('ready'))
})

afterAll(async () => {
  await daemon?.end()
  remove?.()
})

const write = (...lines: string[]) =>
  runProgram('nsenter', [
    '-m',
    '-t',
    String(daemon.pid),
    'systemd-cat',
    '-t',
    'test',
    '-p',
    'err',
    'printf',
    '%s\n',
    ...lines,
  ])
const ours = (lines: readonly LogLine[]) => lines.filter(({ message }) => message.startsWith('test['))
const texts = (lines: readonly LogLine[]) => ours(lines).map(({ message }) => message.replace(/^test\[\d+\]: /, ''))

function follow(after: LogPosition): { lines: LogLine[]; stop: () => void } {
  const lines: LogLine[] = []
  const stop = source.follow(after, { lines: (more) => void lines.push(...more), notice: () => {} })
  return { lines, stop }
}

test.skipIf(missing)('the journal is followed, and resumed behind any line', async () => {
  const all = follow({ timestamp: nanoTimeOf(Date.now() - 60_000), seq: 0 })
  await write(...Array.from({ length: 50 }, (_, index) => `line ${index}`))
  await until('all lines', () => texts(all.lines).at(-1) === 'line 49')
  expect(ours(all.lines).every(({ level, service }) => level === 'error' && service === 'system')).toBe(true)
  const whole = texts(all.lines)
  for (const index of [0, 7, 48]) {
    const last = ours(all.lines)[index]
    const rest = follow({ timestamp: last?.timestamp ?? '', seq: last?.seq ?? 0 })
    await until('the rest', () => texts(rest.lines).at(-1) === 'line 49')
    expect(texts(rest.lines)).toEqual(whole.slice(index + 1))
    rest.stop()
  }
  all.stop()
})

test.skipIf(missing)('a time before all time means from the beginning', async () => {
  await write('the last of all')
  for (const timestamp of ['1970-01-01T00:00:00.000000000Z', '0000-01-01T00:00:00.000000000Z']) {
    const { lines, stop } = follow({ timestamp, seq: 0 })
    await until('all lines', () => texts(lines).at(-1) === 'the last of all')
    const found = await source.history({ lines: 20, since: timestamp, search: undefined })
    expect(texts(found.lines)).toContain('the last of all')
    stop()
  }
})

test.skipIf(missing)('its last lines can be asked for', async () => {
  await write(...Array.from({ length: 30 }, (_, index) => `more ${index}`))
  const ask = (lines: number, search?: string) => source.history({ lines, since: undefined, search })
  await until('the last of them', async () => texts((await ask(1)).lines)[0] === 'more 29')
  const { lines, truncated } = await ask(10)
  expect([texts(lines), truncated]).toEqual([Array.from({ length: 10 }, (_, index) => `more ${20 + index}`), true])
  expect(texts((await ask(50, 'MORE 7')).lines)).toEqual(['more 7'])
})

test.skipIf(missing)('of those since a time the last are given, in their order', async () => {
  const since = nanoTimeOf(Date.now())
  await write(...Array.from({ length: 400 }, (_, index) => `many ${index}`))
  const ask = (lines: number, search?: string) => source.history({ lines, since, search })
  await until('the last of them', async () => texts((await ask(1)).lines)[0] === 'many 399')
  const { lines, truncated } = await ask(5)
  expect([texts(lines), truncated]).toEqual([Array.from({ length: 5 }, (_, index) => `many ${395 + index}`), true])
  const all = await ask(5000)
  expect(texts(all.lines)).toEqual(Array.from({ length: 400 }, (_, index) => `many ${index}`))
  expect(all.truncated).toBe(false)
  expect(texts((await ask(2, 'many 1')).lines)).toEqual(['many 198', 'many 199'])
})

test.skipIf(missing)('traces stay together, and JSON says how bad it is', async () => {
  const trace = ['Error: one', '    at f (a.js:1:2)', '    at g (b.js:3:4)']
  const bad = '{"level":60,"msg":"one"}'
  const { lines, stop } = follow({ timestamp: nanoTimeOf(Date.now() - 1000), seq: 0 })
  const words = ['systemd-cat', '-t', 'test', 'printf', '%s\n', ...trace, bad, 'the end of it']
  await runProgram('nsenter', ['-m', '-t', String(daemon.pid), ...words])
  await until('the end', () => texts(lines).at(-1) === 'the end of it')
  const found = ours(lines).slice(-3)
  expect(texts(found)).toEqual([trace.join('\n'), bad, 'the end of it'])
  expect(found.map(({ level }) => level)).toEqual(['error', 'fatal', 'info'])
  stop()
  const { lines: last } = await source.history({ lines: 3, since: undefined, search: undefined })
  expect(texts(last)).toEqual(texts(found))
})

test('a journal of hundreds of megabytes is searched, and one that cannot be read says so', async () => {
  const { folder: place, remove: clear } = freshFolder('journalctl')
  try {
    const program = path.join(place, 'journalctl')
    const entry = JSON.stringify({
      __REALTIME_TIMESTAMP: '1767225600000000',
      MESSAGE: 'nothing to see',
      SYSLOG_IDENTIFIER: 'test',
      _CMDLINE: 'x'.repeat(900),
    })
    const found = entry.replace('nothing to see', 'the needle')
    fs.writeFileSync(program, `#!/bin/sh\nyes '${entry}' | head -n 80000\necho '${found}'\n`, { mode: 0o755 })
    const { lines } = await new JournalSource(program, 'system', place).history({
      ...{ lines: 10, since: undefined, search: 'needle' },
    })
    expect(lines.map(({ message }) => message)).toEqual(['test: the needle'])
    for (const [said, code] of [
      ['No journal files were opened due to insufficient permissions.', 'forbidden'],
      ['Failed to open files: Bad message', 'internal'],
    ]) {
      fs.writeFileSync(program, `#!/bin/sh\necho "${said}" >&2\nexit 1\n`, { mode: 0o755 })
      const failed = new JournalSource(program, 'system', place).history({
        ...{ lines: 1, since: undefined, search: undefined },
      })
      await expect(failed).rejects.toMatchObject({ code, message: expect.stringContaining(said ?? '') })
    }
  } finally {
    clear()
  }
})
