import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { RateLimit } from './rate-limit.ts'
import { splitCommand } from './split-command.ts'

describe('a command', () => {
  test.each([
    ['ls -la /tmp', ['ls', '-la', '/tmp']],
    ['  a\t b \n c ', ['a', 'b', 'c']],
    [`echo 'a b' "c d"`, ['echo', 'a b', 'c d']],
    [`echo "" ''`, ['echo', '', '']],
    [`echo 'it'\\''s'`, ['echo', "it's"]],
    [`echo "a\\"b\\\\c\\$d\\x"`, ['echo', 'a"b\\c$d\\x']],
    [`echo a\\ b`, ['echo', 'a b']],
    [`echo "a'b" 'c"d'`, ['echo', "a'b", 'c"d']],
    ['echo "\\`x\\`"', ['echo', '`x`']],
    ['echo a\\\nb "c\\\nd"', ['echo', 'ab', 'cd']],
    [`--opt='a b'=c`, ['--opt=a b=c']],
    // Not a space to a shell.
    ['echo 🚢\u00a0é', ['echo', '🚢\u00a0é']],
    [
      'echo $HOME *.js ~ `id` $(id) | cat > x && y; z & {a,b}',
      'echo $HOME *.js ~ `id` $(id) | cat > x && y; z & {a,b}'.split(' '),
    ],
  ])('%s', (command, words) => expect(splitCommand(command)).toEqual(words))

  test.each([`echo 'a`, `echo "a`, `echo "a\\"`, 'echo \\', '""', "'' x", 'echo \0'])('%j is refused', (command) => {
    expect(() => splitCommand(command)).toThrow(Problem)
  })

  test('whatever its arguments hold, quoting brings them through', () => {
    const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (args) => {
        const quoted = args.map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`)
        expect(splitCommand(['program', ...quoted].join(' '))).toEqual(['program', ...args])
      }),
    )
  })
})

test('ten a minute, and the eleventh is told when to come back', () => {
  let now = 0
  const limit = new RateLimit(10, 60_000, () => now)
  for (let i = 0; i < 10; i++) {
    limit.take('commands')
    now += 1000
  }
  const refused = () => {
    try {
      limit.take('commands')
    } catch (error) {
      return (error as Problem).extra['retryAfterSeconds']
    }
    return undefined
  }
  expect(refused()).toBe(50)
  now = 59_999
  expect(refused()).toBe(1)
  now = 60_000
  expect(refused()).toBeUndefined()
  expect(refused()).toBe(1)
})
