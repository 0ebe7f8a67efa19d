import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FramedDecoder, type StreamDecoder, TerminalDecoder } from './docker-stream.ts'
import { EntryDecoder, parseEntry, parsePlainEntry } from './json-file.ts'
import { dockerPartBytes, maxLineChars } from './parts.ts'

const stamp = (index: number) => `2026-01-01T00:00:00.${String(index).padStart(9, '0')}Z`

/** What Docker makes of a line: parts of 16 KiB, each with the same stamp. */
function messages(line: Buffer, index: number): Buffer[] {
  const parts: Buffer[] = []
  const whole = Buffer.concat([line, Buffer.from('\n')])
  for (let start = 0; start < whole.length; ) {
    const isLast = whole.length - 1 - start < dockerPartBytes
    const end = isLast ? whole.length : start + dockerPartBytes
    parts.push(Buffer.concat([Buffer.from(`${stamp(index)} `), whole.subarray(start, end)]))
    start = end
  }
  return parts
}

function frame(stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

/** Every line through the decoder, with the bytes cut anywhere. */
function decode(decoder: StreamDecoder, bytes: Buffer, cuts: readonly number[]): { timestamp: string; text: string }[] {
  const lines: { timestamp: string; text: string }[] = []
  let at = 0
  for (const cut of cuts) {
    lines.push(...decoder.push(bytes.subarray(at, at + cut)))
    at = Math.min(bytes.length, at + cut)
  }
  return [...lines, ...decoder.push(bytes.subarray(at)), ...decoder.finish()]
}

const bytes = fc
  .uint8Array({ maxLength: 40 })
  .map((array) => Buffer.from(array.filter((byte) => byte !== 10 && byte !== 13)))
const long = fc
  .tuple(fc.integer({ min: dockerPartBytes - 40, max: 3 * dockerPartBytes }), fc.integer({ min: 97, max: 122 }))
  .map(([size, byte]) => Buffer.alloc(size, byte))
/** Letters of two to four bytes, of which Docker's cut meets one in the middle. */
const longText = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('ü', '€', '😀'))
  .map(([shift, letter]) => Buffer.from('x'.repeat(shift) + letter.repeat(dockerPartBytes)))
const lineBytes = fc.oneof(
  { weight: 8, arbitrary: bytes },
  { weight: 1, arbitrary: long },
  { weight: 1, arbitrary: longText },
)
const cutting = fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 40 })

describe('any chunking gives the same lines', () => {
  test('with frames, from two outputs', () => {
    const written = fc.array(fc.record({ line: lineBytes, stream: fc.constantFrom(1, 2) }), { maxLength: 20 })
    fc.assert(
      fc.property(written, cutting, (items, cuts) => {
        const stream = Buffer.concat(
          items.flatMap(({ line, stream }, index) => messages(line, index).map((part) => frame(stream, part))),
        )
        const expected = items.map(({ line, stream }, index) => {
          return { timestamp: stamp(index), text: line.toString('utf8'), stream }
        })
        const lines = decode(new FramedDecoder(), stream, cuts)
        expect(lines).toHaveLength(expected.length)
        expect(lines).toMatchObject(expected)
      }),
    )
  })

  test('with a terminal', () => {
    fc.assert(
      fc.property(fc.array(lineBytes, { maxLength: 20 }), cutting, (items, cuts) => {
        const stream = Buffer.concat(items.flatMap((line, index) => messages(line, index)))
        const expected = items.map((line, index) => ({ timestamp: stamp(index), text: line.toString('utf8') }))
        expect(decode(new TerminalDecoder(), stream, cuts)).toEqual(expected)
      }),
    )
  })
})

test.each(['2026-01-01T00:00:07Z', '2026-01-01T01:00:07+01:00', '2025-12-31T16:00:07.5-08:00'])(
  'Podman stamps its lines in other ways, such as %s',
  (podman) => {
    const texts = ['up', '', 'a b']
    const bytes = texts.map((text) => Buffer.from(`${podman} ${text}\n`))
    const timestamp = podman.includes('.5') ? '2026-01-01T00:00:07.500000000Z' : '2026-01-01T00:00:07.000000000Z'
    const expected = texts.map((text) => ({ timestamp, text }))
    expect(decode(new TerminalDecoder(), Buffer.concat(bytes), [])).toEqual(expected)
    const frames = Buffer.concat(bytes.map((line) => frame(1, line)))
    expect(decode(new FramedDecoder(), frames, [3, 30])).toMatchObject(expected)
  },
)

test('parts of two outputs do not mix', () => {
  const [a1, a2] = messages(Buffer.alloc(dockerPartBytes + 5, 97), 1)
  const [b1, b2] = messages(Buffer.alloc(dockerPartBytes + 5, 98), 2)
  const pieces = [frame(1, a1 ?? a()), frame(2, b1 ?? a()), frame(1, a2 ?? a()), frame(2, b2 ?? a())]
  const lines = decode(new FramedDecoder(), Buffer.concat(pieces), [])
  expect(lines.map(({ text }) => [text[0], text.length])).toEqual([
    ['a', dockerPartBytes + 5],
    ['b', dockerPartBytes + 5],
  ])
})

const a = () => Buffer.alloc(0)

test.each(['ü', 'x'])('parts that the journal has stamped apart are one line (of %s)', (letter) => {
  const long = Buffer.from(`x${letter.repeat(40_000)}`)
  const parts = [...messages(long, 1), ...messages(Buffer.from('next'), 9)]
  const apart = parts.map((part, index) => Buffer.concat([Buffer.from(stamp(index)), part.subarray(30)]))
  const expected = [long.toString(), 'next']
  const framed = Buffer.concat(apart.map((part) => frame(1, part)))
  const texts = (lines: { text: string }[]) => lines.map(({ text }) => text)
  expect(texts(decode(new FramedDecoder('stamped apart'), framed, [7, 20_000]))).toEqual(expected)
  expect(texts(decode(new TerminalDecoder('stamped apart'), Buffer.concat(apart), [7, 20_000]))).toEqual(expected)
})

test('what a program wrote last, without a newline, does not stick to the next run', () => {
  const lines = decode(
    new FramedDecoder(),
    Buffer.concat([frame(1, Buffer.from(`${stamp(1)} prompt>`)), frame(1, Buffer.from(`${stamp(2)} next\n`))]),
    [],
  )
  expect(lines.map(({ text }) => text)).toEqual(['prompt>', 'next'])
})

test('a line of 1 MiB is whole, a longer one says what is missing', () => {
  for (const make of [() => new TerminalDecoder(), () => new FramedDecoder()]) {
    for (const size of [maxLineChars, 3 * maxLineChars]) {
      const parts = messages(Buffer.alloc(size, 120), 1)
      const decoder = make()
      const stream = Buffer.concat(decoder instanceof FramedDecoder ? parts.map((part) => frame(1, part)) : parts)
      const [line] = decode(
        decoder,
        stream,
        Array.from({ length: 100 }, () => 65_536),
      )
      expect(line?.text.replace(/^x+/, '')).toBe(
        size === maxLineChars ? '' : ` … (${size - maxLineChars} more characters)`,
      )
      expect(/^x+/.exec(line?.text ?? '')?.[0]).toHaveLength(maxLineChars)
    }
  }
})

test('something that is not a log stream is refused, not kept', () => {
  expect(() => new FramedDecoder().push(Buffer.alloc(64, 255))).toThrow('not what it should be')
})

test('entries of the file are what was written, escapes and half lines included', () => {
  const entry = (log: string, index: number, stream = 'stdout') =>
    JSON.stringify({ log, stream, time: stamp(index).replace(/0+Z$/, 'Z') })
  const texts = [
    'plain',
    'with "quotes" and \\',
    '\u001b[31mred\u0000',
    '{"level":50}',
    'ü €',
    ',"stream":"stdout","time":"x',
  ]
  const entries = texts.map((text, index) => entry(`${text}\n`, index + 1))
  const damaged = ['\0\0\0', '{"log":"half', '', '{"log":1,"time":2}']
  const decoder = new EntryDecoder()
  const lines = decoder.push([...damaged, ...entries, entry('no newline', 8), entry('tty\r\n', 9)])
  expect(lines.map(({ text }) => text)).toEqual([...texts, 'no newline', 'tty'])
  expect(lines.map(({ timestamp }) => timestamp)).toEqual([1, 2, 3, 4, 5, 6, 8, 9].map(stamp))
})

test('a plain entry needs no JSON parser, and gives the same', () => {
  for (const stream of ['stdout', 'stderr']) {
    const entry = `{"log":"plain ü text\\n","stream":"${stream}","time":"2026-01-01T00:00:00.5Z"}`
    expect(parsePlainEntry(entry)).toEqual({
      stream: stream === 'stderr' ? 2 : 1,
      timestamp: '2026-01-01T00:00:00.500000000Z',
      text: 'plain ü text',
      whole: true,
      bytes: 0,
    })
  }
  const odd = [
    '{"log":"a\\tb\\n","stream":"stdout","time":"2026-01-01T00:00:00.5Z"}',
    '{"log":"a","stream":"stdout","time":"2026-01-01T00:00:00.5Z"}',
    '{"log":"a\\n","stream":"stdout","attrs":{"time":"x"},"time":"2026-01-01T00:00:00.5Z"}',
  ]
  for (const entry of odd) {
    expect(parsePlainEntry(entry)).toBeUndefined()
    expect(parseEntry(entry)?.timestamp).toBe('2026-01-01T00:00:00.500000000Z')
  }
})
