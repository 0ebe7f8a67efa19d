import { expect, test } from 'vitest'
import { oldSecretLivesMs, readSecret, SecretChecker } from './secrets.ts'

const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

test('a secret that was replaced is accepted for 60 s, and not a moment longer', () => {
  let now = 0
  const checker = new SecretChecker(a, () => now)
  checker.rotate(b)
  now = 30_000
  checker.rotate(c)
  expect([a, b, c].map((secret) => checker.accepts(bearer(secret)))).toEqual([true, true, true])
  now = oldSecretLivesMs
  expect([a, b, c].map((secret) => checker.accepts(bearer(secret)))).toEqual([false, true, true])
  now = 30_000 + oldSecretLivesMs
  expect([a, b, c].map((secret) => checker.accepts(bearer(secret)))).toEqual([false, false, true])
})

test('one that comes back stays', () => {
  let now = 0
  const checker = new SecretChecker(a, () => now)
  checker.rotate(b)
  checker.rotate(a)
  now = 10 * oldSecretLivesMs
  expect([checker.matches(a), checker.matches(b)]).toEqual([true, false])
})

test('keys for other purposes follow the secret and do not give it away', () => {
  const checker = new SecretChecker(a)
  const key = checker.derive('one')
  expect(key.equals(new SecretChecker(a).derive('one'))).toBe(true)
  expect(key.equals(checker.derive('two'))).toBe(false)
  checker.rotate(b)
  expect(key.equals(checker.derive('one'))).toBe(false)
})

test.each(['', 'Bearer', 'Bearer ', `Basic ${a}`, `Bearer ${a}x`, `Bearer ${'x'.repeat(100_000)}`])(
  '%s is refused without a throw',
  (authorization) => expect(new SecretChecker(a).accepts({ authorization })).toBe(false),
)

test('a secret of several words is taken in either header; one that no header carries is refused at the start', () => {
  const words = 'four words and some more make one'
  const checker = new SecretChecker(readSecret({ PILOTHOUSE_SECRET: ` ${words}\n` }, '/nonexistent'))
  expect([checker.accepts(bearer(words)), checker.accepts({ 'x-deploy-secret': words })]).toEqual([true, true])
  for (const PILOTHOUSE_SECRET of ['ü'.repeat(40), `${a}\n${b}`, `${a}\u007f`])
    expect(() => readSecret({ PILOTHOUSE_SECRET }, '/nonexistent')).toThrow('that no header carries')
})
