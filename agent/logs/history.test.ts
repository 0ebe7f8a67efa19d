import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assemble, LastLines, readLast } from './history.ts'
import { EntryDecoder, freshStarts } from './json-file.ts'

const text = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('Traceback (most recent call last):', 'ERROR Traceback (most recent call last):'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('  File "x.py", line 1, in <module>', '    run()', 'ValueError: no', '', ' '),
  },
  { weight: 4, arbitrary: fc.constantFrom('ok', 'GET /', '[ERROR] no', 'Error: x') },
  { weight: 3, arbitrary: fc.constantFrom('    at f (a.js:1:2)', '    at g (b.js:3:4)') },
)
/** A log as Docker writes it: several lines may share a moment, and times never run backwards. */
const log = fc
  .array(fc.record({ text, later: fc.nat(2), stream: fc.constantFrom('stdout', 'stdout', 'stderr') }), {
    maxLength: 120,
    size: 'max',
  })
  .map((lines) => {
    let nanos = 0
    return lines.map((line) => {
      nanos += line.later
      const time = `2026-01-01T00:00:00.${String(nanos).padStart(9, '0')}Z`
      return JSON.stringify({ log: `${line.text}\n`, stream: line.stream, time })
    })
  })

const decode = (entries: string[]) => {
  const decoder = new EntryDecoder()
  return [...decoder.push(entries), ...decoder.finish()]
}

test('the last lines are the same in whatever portions the log is read, and as if all of it were', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(log, sizes, fc.integer({ min: 1, max: 130 }), async (entries, portions, lines) => {
      async function* backward() {
        let end = entries.length
        for (let turn = 0; end > 0; turn++) {
          const start = Math.max(0, end - (portions[turn % portions.length] ?? 1))
          yield entries.slice(start, end)
          end = start
        }
      }
      const all = assemble(decode(entries), 'api')
      const query = { lines, since: undefined, search: undefined }
      const found = await readLast({ portions: backward(), decode, freshStarts }, 'api', query)
      expect(found.lines).toEqual(all.slice(-lines))
      expect(found.truncated).toBe(all.length > lines)
    }),
    { numRuns: 400 },
  )
})

test('of a large portion only what is wanted is decoded', async () => {
  const entries = Array.from({ length: 5000 }, (_, n) => {
    const time = `2026-01-01T00:00:00.${String(n).padStart(9, '0')}Z`
    return JSON.stringify({ log: `${n}\n`, stream: 'stdout', time })
  })
  let decoded = 0
  const source = {
    portions: (async function* () {
      yield entries
    })(),
    decode: (some: string[]) => {
      decoded += some.length
      return decode(some)
    },
    freshStarts,
  }
  const { lines, truncated } = await readLast(source, 'api', { lines: 100, since: undefined, search: undefined })
  expect(lines.map(({ message }) => message)).toEqual(entries.slice(-100).map((_, n) => String(4900 + n)))
  expect(truncated).toBe(true)
  expect(decoded).toBeLessThan(200)
})

test.each(['字', '\u0001', '"', 'a', '🚢'])(
  'however much lines of %j weigh, an answer of them can be carried',
  (letter) => {
    const taken = new LastLines({ lines: 5000, since: undefined, search: undefined })
    const line = { timestamp: '2026-01-01T00:00:00.000000000Z', message: letter.repeat(3000), service: 'api', seq: 0 }
    taken.add(Array.from({ length: 5000 }, () => line))
    const { lines, truncated } = taken.result(false)
    expect(Buffer.byteLength(JSON.stringify({ lines, service: 'api', truncated }))).toBeLessThan(16 * 1024 * 1024)
    expect(lines.length).toBeGreaterThan(400)
  },
)
