import { expect, test } from 'vitest'
import { formatLine } from './log.ts'

const controls = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, index) => 0x7f + index), 0x2028, 0x2029]

test('a logged value cannot forge a line, nor say anything to the terminal that shows it', () => {
  const text = String.fromCharCode(...controls)
  const time = new Date('2026-01-02T03:04:05.678Z')
  const line = formatLine(time, 'warn', `said ${text}`, { name: text, deep: { list: [text] }, none: undefined })
  expect(line.startsWith('2026-01-02T03:04:05.678Z WARN said ')).toBe(true)
  expect(line.endsWith(' none=undefined\n')).toBe(true)
  const shown = [...line.slice(0, -1)].map((char) => char.charCodeAt(0))
  expect(shown.filter((code) => controls.includes(code))).toEqual([])
  expect(formatLine(time, 'info', 'ready', { port: 80, path: 'a b' })).toBe(
    '2026-01-02T03:04:05.678Z INFO ready port=80 path="a b"\n',
  )
})
