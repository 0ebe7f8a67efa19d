import { Terminal } from '@xterm/xterm'
import { expect, test } from 'vitest'
import { guard } from './guards.ts'

const written = (terminal: Terminal, text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
const line = (terminal: Terminal, row: number) =>
  terminal.buffer.active.getLine(terminal.buffer.active.baseY + row)?.translateToString(true)

/** Without its guard each of these takes xterm minutes, and most of them the window's memory. */
test('no output keeps the window busy by saying how often something is to be done', async () => {
  const terminal = new Terminal({ allowProposedApi: true, rows: 24, cols: 80, scrollback: 1000 })
  guard(terminal, () => {})
  for (const final of [
    'L',
    'M',
    'S',
    'T',
    'I',
    'Z',
    'b',
    '@',
    'P',
    'X',
    ' @',
    ' A',
    "'}",
    "'~",
    'A',
    'B',
    'C',
    'D',
    'E',
    'F',
  ])
    await written(terminal, `x\u001b[2147483647${final}\u001b[2147483647;1${final}`)
  // What programs do ask for is done: lines pushed down, letters said again.
  await written(terminal, '\u001bc\u001b[Hfirst\r\nsecond\u001b[2;1H\u001b[3L\u001b[Hy\u001b[4b')
  expect([0, 1, 4].map((row) => line(terminal, row))).toEqual(['yyyyy', '', 'second'])
  terminal.dispose()
})
