import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  deleteEnvVar,
  deleteEnvVars,
  duplicateKeys,
  envVars,
  parseEnvFile,
  setEnvVar,
  setEnvVars,
  writeEnvFile,
} from './env-file.ts'

const key = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,12}$/)
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => !text.includes('\0')),
  fc.string({
    unit: fc.constantFrom('a', ' ', '#', '=', '$', '\\', '"', "'", '\n', '\r', '\t', '`', '💡', 'é'),
    maxLength: 30,
  }),
)
/** Lines that a person may have written, sensible or not. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        '# a comment',
        '',
        'export A=1',
        "B='x # y'  # why",
        'C="two\nlines"',
        'D="unclosed',
        'E = spaced ',
        'not a line',
        'F="a"b',
      ),
    ),
  )
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((eol) => lines.join(eol)))

describe('a round trip', () => {
  test('changes nothing', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(writeEnvFile(parseEnvFile(text))).toBe(text)
      }),
    )
  })

  test('of any value gives the same value', () => {
    fc.assert(
      fc.property(anyText, key, value, (text, name, wanted) => {
        const written = writeEnvFile(setEnvVar(parseEnvFile(text), name, wanted))
        expect(envVars(parseEnvFile(written)).get(name)).toBe(wanted)
      }),
      { numRuns: 1000 },
    )
  })

  test('of a change leaves every other key and every other line alone', () => {
    fc.assert(
      fc.property(anyText, key, value, (text, name, wanted) => {
        const before = parseEnvFile(text)
        const after = parseEnvFile(writeEnvFile(setEnvVar(before, name, wanted)))
        const [left, right] = [envVars(before), envVars(after)]
        left.delete(name)
        right.delete(name)
        expect([...right]).toEqual([...left])
        const others = (file: typeof before) =>
          file.lines.flatMap((line) => (line.kind === 'other' ? [line.text.replace(/[\r\n]/g, '')] : [])).join('')
        // A line that the new one had to be kept apart from gains an end, nothing else.
        expect(others(after)).toBe(others(before))
      }),
      { numRuns: 500 },
    )
  })

  test('of set and delete is gone', () => {
    fc.assert(
      fc.property(anyText, key, value, (text, name, wanted) => {
        const without = deleteEnvVar(setEnvVar(parseEnvFile(text), name, wanted), name)
        expect(envVars(parseEnvFile(writeEnvFile(without))).has(name)).toBe(false)
      }),
    )
  })
})

describe('many at once', () => {
  test('are what they are one after the other', () => {
    const names = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'NEW')
    const many = fc.array(fc.tuple(names, value), { maxLength: 8 }).map((pairs) => new Map(pairs))
    fc.assert(
      fc.property(anyText, many, fc.uniqueArray(names), (text, vars, keys) => {
        const file = parseEnvFile(text)
        const attempt = (work: () => unknown) => {
          try {
            return work()
          } catch (error) {
            return String(error)
          }
        }
        const vs = (of: ReturnType<typeof parseEnvFile>) => [...envVars(parseEnvFile(writeEnvFile(of)))].sort()
        expect(vs(setEnvVars(file, vars))).toEqual(vs([...vars].reduce((to, [k, v]) => setEnvVar(to, k, v), file)))
        const gone = attempt(() => vs(deleteEnvVars(file, keys)))
        if (Array.isArray(gone)) expect(gone.map(([name]) => name).filter((name) => keys.includes(name))).toEqual([])
        else expect(gone).toBe(attempt(() => keys.reduce(deleteEnvVar, file)))
      }),
      { numRuns: 500 },
    )
  })

  test('keep comments, places and line ends, and make the file be read back once', () => {
    const text = '# top\r\nexport A=1  # one\r\nB=2\r\nB=3'
    const vars = new Map([...Object.entries({ A: 'x y', B: '3', C: '4', D: "it's" })])
    expect(writeEnvFile(setEnvVars(parseEnvFile(text), vars))).toBe(
      `# top\r\nexport A='x y'  # one\r\nB=2\r\nB=3\r\nC=4\r\nD="it's"\r\n`,
    )
    expect(() => setEnvVars(parseEnvFile(text), new Map([['1A', 'x']]))).toThrow(/1A/)
    let reads = 0
    const file = parseEnvFile('X=1\n')
    const counted = {
      get lines() {
        reads++
        return file.lines
      },
    }
    setEnvVars(counted, new Map(Array.from({ length: 1000 }, (_, index) => [`K${index}`, 'a b'])))
    expect(reads).toBeLessThan(20)
  })
})

test.each([
  ['A=plain', 'plain'],
  ['A=', ''],
  ['  export A=1', '1'],
  ['A = spaced  ', 'spaced'],
  ['A=a#b', 'a#b'],
  ['A=a #b', 'a'],
  ['COLOUR=#fff\nA=#b', '#b'],
  ['A=#b #c', '#b'],
  ['A= #b', ''],
  ['A=\t#b', ''],
  ["A='x # $y \\n'", 'x # $y \\n'],
  ['A="x\\n\\"y\\" \\$z \\q"  # why', 'x\n"y" $z \\q'],
  ['A="two\nlines"', 'two\nlines'],
  ['A=https://u:p@h/?a=b&c=d', 'https://u:p@h/?a=b&c=d'],
  ['A="last"\nA=wins', 'wins'],
])('%j is read as %j', (text, expected) => {
  expect(envVars(parseEnvFile(text)).get('A')).toBe(expected)
})

test('a change keeps export, comment, line end and place', () => {
  const text = '# top\r\nexport A=1  # one\r\nB=2\r\n'
  expect(writeEnvFile(setEnvVar(parseEnvFile(text), 'A', 'x y'))).toBe("# top\r\nexport A='x y'  # one\r\nB=2\r\n")
  expect(writeEnvFile(setEnvVar(parseEnvFile(text), 'C', '3'))).toBe(`${text}C=3\r\n`)
  expect(writeEnvFile(setEnvVar(parseEnvFile('A=1'), 'B', '2'))).toBe('A=1\nB=2\n')
})

test('a key that stands twice is said, and its last place is the one that changes', () => {
  const file = parseEnvFile('A=1\nB=2\nA=3\n')
  expect(duplicateKeys(file)).toEqual(['A'])
  expect(writeEnvFile(setEnvVar(file, 'A', '4'))).toBe('A=1\nB=2\nA=4\n')
})

test('what cannot be a variable is refused', () => {
  expect(() => setEnvVar(parseEnvFile(''), 'a b', '1')).toThrow(/a b/)
  expect(() => setEnvVar(parseEnvFile(''), '1A', '1')).toThrow()
  expect(() => setEnvVar(parseEnvFile(''), 'A', 'x\0y')).toThrow(/NUL/)
})

test('a variable is not removed where that would change another', () => {
  const file = parseEnvFile("A='open\nB='v'\nSIZE=5'\nC=1\n")
  expect(() => deleteEnvVar(file, 'B')).toThrow(/quote that is not closed/)
  expect(envVars(deleteEnvVar(file, 'C')).has('C')).toBe(false)
})
