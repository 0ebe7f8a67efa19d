import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { formatLine, openLog } from './log.ts'
import { RotatingFile } from './rotating-file.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-log-'))
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

test('a logged value cannot forge a line', () => {
  const line = formatLine(new Date(0), 'info', 'a\r\nb\u001b[31m', {
    title: 'x\n2020 ERROR fake',
    other: '\u009b1m\u2028',
  })
  expect(line.match(/\n/g)).toHaveLength(1)
  expect(line.endsWith('\n')).toBe(true)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be left
  expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/)
})

test('a log is private and stays small', () => {
  const file = path.join(folder, 'logs', 'agent.log')
  const log = new RotatingFile(file, 1000)
  for (let i = 0; i < 50; i++) log.write(`${'x'.repeat(98)}\n`)
  expect(fs.statSync(file).size).toBeLessThanOrEqual(1000)
  expect(fs.statSync(`${file}.1`).size).toBeLessThanOrEqual(1000)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(path.dirname(file))).toHaveLength(2)
})

test('a log that cannot be written does not throw', () => {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'a-file'), '')
  const log = openLog(path.join(folder, 'a-file', 'below'), { echo: false })
  expect(() => log('info', 'nobody hears')).not.toThrow()
})
