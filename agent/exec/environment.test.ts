import { expect, test } from 'vitest'
import { commandEnvironment } from './environment.ts'

const agent = {
  PATH: '/bin',
  LANG: 'de_DE.UTF-8',
  AWS_PROFILE: 'fleet',
  PILOTHOUSE_PORT: '8000',
  NOTIFY_SOCKET: '/run/notify',
  CREDENTIALS_DIRECTORY: '/run/credentials',
  OPENAI_API_KEY: 'canary',
  ANTHROPIC_API_KEY: 'canary',
  AWS_SECRET_ACCESS_KEY: 'canary',
  HATCHET_CLIENT_TOKEN: 'canary',
  SUPABASE_URL: 'canary',
  DATABASE_URL: 'canary',
  some_password: 'canary',
}

test('what is nobody’s business but the agent’s does not reach a command, whatever it is called', () => {
  const { HOME, USER, LOGNAME, ...rest } = commandEnvironment([], agent)
  expect(rest).toEqual({ PATH: '/bin', LANG: 'de_DE.UTF-8', AWS_PROFILE: 'fleet' })
  expect([HOME, USER, LOGNAME].every((text) => text !== '')).toBe(true)
})

test('what the configuration names does, but nothing of the agent’s own', () => {
  const named = ['ANTHROPIC_API_KEY', 'PILOTHOUSE_PORT', 'NOTIFY_SOCKET', 'NOT_THERE']
  const passed = commandEnvironment(named, agent)
  expect(passed['ANTHROPIC_API_KEY']).toBe('canary')
  expect(Object.values(passed).filter((value) => value === 'canary')).toHaveLength(1)
  expect(Object.keys(passed).filter((key) => /^(PILOTHOUSE|NOTIFY|NOT_)/.test(key))).toEqual([])
})

test('a service that is started without a locale gives its commands one', () => {
  expect(commandEnvironment([], {})['LANG']).toBe('C.UTF-8')
  expect(commandEnvironment([], { LC_ALL: 'C' })['LANG']).toBeUndefined()
})
