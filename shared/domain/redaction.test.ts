import { describe, expect, test } from 'vitest'
import { isSensitiveEnvKey, redact, redactAddress, redactCommand, redactFailure, redactPageText } from './redaction.ts'

describe('environment variables that stay on their machine', () => {
  test.each([
    'API_KEY',
    'my_secret_thing',
    'DB_PASSWORD',
    'GITHUB_TOKEN',
    'AWS_CREDENTIALS',
    'PRIVATE_HOST',
    'SUPABASE_URL',
    'DATABASE_URL',
    'REDIS_URL',
    'redis_url',
  ])('%s', (key) => expect(isSensitiveEnvKey(key)).toBe(true))
  test.each(['NODE_ENV', 'PORT', 'MY_DATABASE_URL_HOST', 'NOT_SUPABASE', 'LOG_LEVEL'])('not %s', (key) =>
    expect(isSensitiveEnvKey(key)).toBe(false),
  )
})

test('a rotation and a set of variables leave no value behind', () => {
  const redacted = JSON.stringify(
    redact({ current: 'canary-1', next: 'canary-2', vars: { PLAIN: 'canary-3', API_KEY: 'canary-4' } }),
  )
  expect(redacted).not.toContain('canary')
  expect(redacted).toContain('PLAIN')
})

test('which keys went, and whether a secret is new, is no secret', () => {
  const told = { removedKeys: ['DB_PASSWORD'], updatedKeys: ['API_KEY'], newSecret: true }
  expect(redact(told)).toEqual(told)
  expect(redact({ newSecret: 'canary', removedKey: ['canary'] })).toEqual({ newSecret: '***', removedKey: '***' })
})

test.each([
  ['curl -H "Authorization: Bearer canary" http://x/', 'http://x/'],
  ['curl -u me:canary http://x/', '-u me:'],
  ['mysql --password=canary -u root', '-u root'],
  ['mysql --password canary -u root', '-u root'],
  ["deploy --api-key 'canary two' now", 'now'],
  ['env API_TOKEN=canary printenv', 'printenv'],
  ['sshpass -p canary ssh host', 'ssh host'],
  ['git clone https://me:canary@example.org/x.git', 'example.org/x.git'],
])('%s loses its secret and keeps the rest', (command, kept) => {
  const redacted = String((redact({ command }) as { command: string }).command)
  expect(redacted).not.toContain('canary')
  expect(redacted).toContain(kept)
})

test('what a browser is sent to loses what would log anyone in, and says where all the same', () => {
  const url = 'https://me:canary@shop.example/in?mail=1&token=canary&code=canary#access_token=canary'
  expect(redact({ url, pageUrl: url })).toEqual({
    url: 'https://***@shop.example/in?mail=1&token=***&code=***#access_token=***',
    pageUrl: 'https://***@shop.example/in?mail=1&token=***&code=***#access_token=***',
  })
  expect(redact({ url: 'data:text/html,canary' })).toEqual({ url: 'data:…' })
})

test.each(['grep token file.txt', 'ls -la /keys', 'docker ps --all', 'ssh-keygen -l -f id.pub'])(
  '%s is left as it is',
  (command) => expect(redactCommand(command)).toBe(command),
)

test('why something failed is kept for the audit, without the secrets that a program put into it', () => {
  const said = 'api ended (exit code 1). Its last lines:\nno postgres://me:canary@db/x with DB_PASSWORD=canary'
  expect(redactFailure(said)).toBe(
    'api ended (exit code 1). Its last lines:\nno postgres://***@db/x with DB_PASSWORD=***',
  )
  expect(redactFailure('x'.repeat(3000))).toHaveLength(3000)
})

test.each([
  ['https://x.example/cb?code=canary&page=2', 'page=2'],
  ['https://x.example/cb#access_token=canary&kind=b', 'kind=b'],
  ['https://me:canary@x.example/a', 'x.example/a'],
  ['https://x.example/s3?X-Amz-Signature=canary', 'x.example/s3'],
  ['wss://x.example/live?api_key=canary', 'wss://x.example/live'],
  [`https://x.example/reset/canary1${'a1'.repeat(20)}/now`, '/now'],
  [`data:text/plain,canary`, 'data:'],
])('the address %s lets nobody in', (address, kept) => {
  expect(redactAddress(address)).not.toContain('canary')
  expect(redactAddress(address)).toContain(kept)
})

test.each([
  ['Failed for {"user":"bob","password":"canary x"}', 'bob'],
  ['401 with Authorization: Bearer canary for /me', '/me'],
  ['GET https://x.example/a?token=canary failed', 'x.example/a'],
  ['jwt eyJhbGciOiJI.canary.canary expired', 'expired'],
  ['key sk-canary0123456789abcdef refused', 'refused'],
  ['{apiKey: canary, tries: 3}', 'apiKey'],
])('the page’s text "%s" keeps its sense and loses its secret', (text, kept) => {
  expect(redactPageText(text)).not.toContain('canary')
  expect(redactPageText(text)).toContain(kept)
})

test('a text of a page that says nothing secret is left as it is, and a long one is cut', () => {
  const plain = "TypeError: Cannot read properties of undefined (reading 'map') at https://x.example/app.js:10:3"
  expect(redactPageText(plain)).toBe(plain)
  expect(redactPageText('x '.repeat(100_000)).length).toBeLessThan(600)
})
