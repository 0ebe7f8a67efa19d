import { expect, test } from 'vitest'
import { logText } from './log-text.ts'

function frame(kind: number, text: string): Buffer {
  const header = Buffer.alloc(8)
  header[0] = kind
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

test('reads frames, and a line that runs over two of them', () => {
  expect(logText(Buffer.concat([frame(1, 'one\ntw'), frame(2, 'o\r\nthree é\n')]))).toEqual(['one', 'two', 'three é'])
})
test('reads the plain text of a container with a terminal', () => {
  expect(logText(Buffer.from('hello\nworld'))).toEqual(['hello', 'world'])
})
test('takes out what would paint over the screen of the reader', () => {
  expect(logText(Buffer.from('\u001b[31mred\u001b[0m\u0007 \u009bxyz\n'))).toEqual(['red xyz'])
})
test('a cut frame is given as far as it goes', () => {
  expect(logText(frame(1, 'whole line').subarray(0, 13))).toEqual(['whole'])
})
