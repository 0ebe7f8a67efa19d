import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { until } from '../../e2e/rigs/until.ts'
import { nanoTimeOf } from '../../shared/domain/log-time.ts'
import { openReader } from './test-reader.ts'

const { folder, remove } = freshFolder('since')
const file = path.join(folder, 'main.log')
let agent: TestAgent

beforeAll(async () => {
  fs.writeFileSync(file, '2026-01-01T00:00:00Z one\n2026-01-01T00:00:01Z two\n')
  vi.stubEnv('PILOTHOUSE_ADSPOWER_LOGS', file)
  agent = await startTestAgent()
})
afterAll(async () => {
  await agent.stop()
  vi.unstubAllEnvs()
  remove()
})

const ask = (since: string) => agent.client.call('logs.get', { service: 'adspower', since })
const texts = (lines: readonly { message: string }[]) => lines.map(({ message }) => message.split(' ').at(-1))

test('a time beyond all calendars is refused, and the agent goes on', async () => {
  for (const since of ['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+12:00']) {
    await expect(ask(since)).rejects.toMatchObject({ code: 'invalid-params' })
    const reader = await openReader(agent.client, { service: 'adspower', since })
    await until('the refusal', () => reader.errors.length > 0)
    expect(reader.errors[0]).toContain('since')
    reader.socket.close()
  }
  expect(texts((await ask('0000-01-01T00:00:00Z')).lines)).toEqual(['one', 'two'])
  expect((await ask('9999-12-31T23:59:59Z')).lines).toEqual([])
})

test('who asks for lines since a time that is still to come gets those that are written from now on', async () => {
  const since = nanoTimeOf(Date.now() + 3_600_000)
  const reader = await openReader(agent.client, { service: 'adspower', since, batch: true })
  let written = 0
  const write = () => fs.appendFileSync(file, `${new Date().toISOString()} later-${++written}\n`)
  // When the following has begun is not told.
  await until('a line', () => {
    if (reader.lines.length === 0) write()
    return reader.lines.length > 0
  })
  expect(texts(reader.lines)[0]).toMatch(/^later-/)
  reader.socket.close()
})
