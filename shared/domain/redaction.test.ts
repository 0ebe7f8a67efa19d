import { describe, expect, test } from 'vitest'
import { isSensitiveEnvKey, redact, redactCommand } from './redaction.ts'

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

test.each(['grep token file.txt', 'ls -la /keys', 'docker ps --all', 'ssh-keygen -l -f id.pub'])(
  '%s is left as it is',
  (command) => expect(redactCommand(command)).toBe(command),
)
