import { expect, test } from 'vitest'
import { hexDump, shownOf } from './body.ts'

const base64 = (bytes: readonly number[] | string) => Buffer.from(bytes as string).toString('base64')

test('pictures without code in them are drawn, text is read, everything else stays bytes', () => {
  expect(shownOf(base64([137, 80, 78, 71]), 'image/png').form).toBe('picture')
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  expect(shownOf(base64(drawing), 'image/svg+xml')).toEqual({ form: 'text', text: drawing })
  expect(shownOf(base64('größer'), 'application/x-of-our-own')).toEqual({ form: 'text', text: 'größer' })
  expect(shownOf(base64([0xff, 0xfe, 0x41]), 'text/plain').form).toBe('bytes')
  expect(shownOf(base64([65, 0, 66]), 'text/plain').form).toBe('bytes')
})

test('bytes stand under each other with their place and their letters', () => {
  const dump = hexDump(Uint8Array.from([...Array(17).keys()].map((place) => place + 0x3e)))
  expect(dump.split('\n')).toEqual([
    '00000000  3e 3f 40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d  >?@ABCDEFGHIJKLM',
    `00000010  4e${' '.repeat(46)} N`,
  ])
  expect(hexDump(new Uint8Array(1_000_000)).split('\n')).toHaveLength(1024)
})
