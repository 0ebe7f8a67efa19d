import { Terminal } from '@xterm/xterm'
import { expect, test } from 'vitest'
import { guard } from './guards.ts'
import { boundMarks } from './marks.ts'

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

test('no letter is given more marks than anyone writes, which would take the window seconds to draw', async () => {
  const terminal = new Terminal({ allowProposedApi: true, rows: 24, cols: 80, scrollback: 1000 })
  boundMarks(terminal)
  await written(terminal, `e${'\u0301'.repeat(87)}`)
  const cell = (x: number) => terminal.buffer.active.getLine(0)?.getCell(x)
  expect(cell(0)?.getChars()).toBe(`e${'\u0301'.repeat(8)}`)
  const drawn = Array.from({ length: 80 }, (_, x) => x).filter((x) => cell(x)?.getWidth() !== 0)
  expect(drawn).toEqual([0])
  // In two portions, and with what people do write: two marks on one letter, a wide one, a joined one.
  await written(terminal, '\u001b[2J\u001b[2;1He\u0323')
  await written(terminal, '\u0302x日本👩‍💻!')
  expect(line(terminal, 1)).toBe('e\u0323\u0302x日本👩‍💻!')
  expect(terminal.buffer.active.cursorX).toBe(2 + 4 + 4 + 1)
  terminal.dispose()
})
