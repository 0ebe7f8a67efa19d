import { expect, test } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

const mask = (line: string, env: Record<string, string>) => maskSecrets([line], new Map(Object.entries(env)))[0]

test.each<[string, Record<string, string>, string]>([
  ['no login with canary!', { DB_PASSWORD: 'canary' }, 'no login with ***!'],
  ['canary-two and canary', { A_TOKEN: 'canary', B_TOKEN: 'canary-two' }, '*** and ***'],
  ['{"password":"can\\"ary"}', { DB_PASSWORD: 'can"ary' }, '{"password":"***"}'],
  ['GET /?key=can%20ary', { API_KEY: 'can ary' }, 'GET /?key=***'],
  ['no user with canary', { DATABASE_URL: 'postgres://me:canary@db/x' }, 'no user with ***'],
  ['read: canary', { PRIVATE_KEY: 'BEGIN\ncanary\nEND' }, 'read: ***'],
  ['$1 (.*) costs', { API_KEY: '$1 (.*)' }, '*** costs'],
  ['port 12, pin 1', { PIN_KEY: '1' }, 'port 12, pin ***'],
  ['LOG_LEVEL is debug', { LOG_LEVEL: 'debug', EMPTY_TOKEN: '' }, 'LOG_LEVEL is debug'],
])('%s', (line, env, expected) => {
  expect(mask(line, env)).toBe(expected)
})
