import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentEnv } from '../../e2e/rigs/agent-process.ts'
import { builtAgent, nodeProgram } from '../../e2e/rigs/built.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { type Program, startProgram } from '../../e2e/rigs/program.ts'
import { until } from '../../e2e/rigs/until.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { nodeTransport } from '../../shared/client/node.ts'
import type { TimelineEntry } from '../../shared/contract/timeline.ts'

const page = `<title>Broken shop</title><body style="background:#c33"><script>
  fetch('/api/cart?token=canary-query').catch(() => {})
  fetch('http://127.0.0.1:1/nobody').catch(() => {})
  setTimeout(() => { throw new TypeError('cart is undefined for {"password":"canary-text"}') })
  window.flood = () => { for (let i = 0; i < 10000; i++) console.error('tick ' + i + ' failed') }
</script>`

const { folder, remove } = freshFolder('timeline')
const secret = randomBytes(32).toString('base64url')
const client = new AgentClient(nodeTransport({ socketPath: path.join(folder, 'agent.sock') }), {
  secret: () => secret,
  operator: () => 'Tester',
})
let program: Program
let site: string
const server = http.createServer((request, response) => {
  response.statusCode = request.url?.startsWith('/api/') ? 500 : 200
  response.setHeader('content-type', 'text/html')
  response.end(request.url?.startsWith('/api/') ? 'no' : page)
})

/** The bundled agent, always on the same data. */
async function start(): Promise<void> {
  const bundle = await builtAgent()
  program = await startProgram(nodeProgram, [bundle, 'serve'], {
    env: agentEnv(folder, { PILOTHOUSE_SECRET: secret, PILOTHOUSE_ENV_FILE: path.join(folder, '.env') }),
  })
  await program.ready('the agent', () => client.call('machine.health'))
}
const list = (params: Parameters<typeof client.call<'timeline.list'>>[1] = {}) => client.call('timeline.list', params)
const oldestFirst = async () => (await list()).entries.reverse()
const entry = (what: string, fits: (entry: TimelineEntry) => boolean = () => true) =>
  until(what, async () => (await list()).entries.find((one) => one.what === what && fits(one)))

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  mkdirSync(path.join(folder, 'data'), { recursive: true, mode: 0o700 })
  writeFileSync(path.join(folder, '.env'), 'GREETING=old\n')
  await start()
})
afterAll(async () => {
  client.close()
  await program.end()
  server.close()
  remove()
})

test('what an operator, a page and the network did stands in order on one clock, without its secrets', async () => {
  await client.call('env.set', { vars: { GREETING: 'canary-env' } })
  await client.call('exec.run', { command: 'echo hello' })
  await client.call('browser.start', { headless: true })
  // What the first page of a start asks for can be over before anyone listens.
  await client.call('browser.navigate', { url: `${site}/shop` })
  const error = await entry('console-error')
  expect(error).toMatchObject({
    kind: 'page',
    tone: 'broken',
    count: 1,
    title: expect.stringContaining('cart is undefined'),
  })
  const failed = await until('both requests', async () => {
    const found = (await list({ kinds: 'network' })).entries
    return found.length >= 2 ? found : undefined
  })
  expect(failed.map(({ title }) => title.replace(/:\d+/, '')).sort()).toEqual([
    'GET 500 http://127.0.0.1/api/cart?token=***',
    'GET net::ERR_UNSAFE_PORT http://127.0.0.1/nobody',
  ])
  const told = await oldestFirst()
  const at = (what: string) => told.findIndex((one) => one.what === what)
  const order = ['agent_started', 'set_env', 'exec', 'browser', 'console-error'].map(at)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(at('agent_started')).toBe(0)
  expect(told[at('set_env')]).toMatchObject({ who: 'Tester', title: 'Set GREETING' })
  expect(told[at('browser')]).toMatchObject({ running: true, who: 'Tester' })
  expect(JSON.stringify(told)).not.toContain('canary')
})

test('a takeover has its length and its picture; changes alone can be asked for', async () => {
  const { revision } = await list()
  const { leaseId } = await client.call('takeover.take', { operator: 'Ada', reason: 'stuck' })
  const taken = await entry('lease', ({ picture }) => picture !== null)
  expect(taken).toMatchObject({ running: true, tone: 'person', who: 'Ada' })
  const jpeg = await client.call('timeline.picture', { id: taken.picture ?? '' })
  expect(jpeg.contentType).toBe('image/jpeg')
  expect([...jpeg.bytes.slice(0, 2)]).toEqual([0xff, 0xd8])
  // That it was kept for longer changes something, so it stands in the audit; it is no moment of its own here.
  const { expiresAt } = await client.call('takeover.renew', { leaseId })
  const [renewed] = (await client.call('audit.list', { action: 'takeover', pageSize: 1 })).entries
  expect(renewed).toMatchObject({ result: 'success', details: { renewed: true, operator: 'Ada', expiresAt } })
  expect(JSON.stringify(renewed)).not.toContain(leaseId)
  await client.call('takeover.handBack', { leaseId, note: 'done' })
  await entry('handed-back', ({ picture }) => picture !== null)
  expect(await entry('lease')).toMatchObject({ running: false, title: 'Ada had control' })
  const changed = (await list({ changedAfter: revision })).entries.map(({ what }) => what)
  expect(changed).toContain('lease')
  expect(changed).not.toContain('set_env')
  await expect(client.call('timeline.picture', { id: 'zz' })).rejects.toMatchObject({ code: 'not-found' })
  await expect(client.call('timeline.picture', { id: '../audit' })).rejects.toMatchObject({ code: 'invalid-params' })
})

test('ten thousand errors are one row with a count', async () => {
  const before = (await list({ kinds: 'page' })).entries.length
  await client.call('browser.execute', { expression: 'window.flood()' })
  await entry('console-error', ({ count, title }) => count >= 1000 && title.startsWith('tick'))
  expect((await list({ kinds: 'page' })).entries.length).toBe(before + 1)
})

test('an agent that is killed has everything again, and what was open is closed', async () => {
  const before = await oldestFirst()
  await client.call('takeover.take', { operator: 'Ben', reason: 'held when it dies' })
  process.kill(program.pid, 'SIGKILL')
  await program.end()
  await start()
  const after = await until('the new start', async () => {
    const all = await oldestFirst()
    return all.filter(({ what }) => what === 'agent_started').length === 2 ? all : undefined
  })
  const keys = new Set(after.map(({ key }) => key))
  expect(before.filter(({ key }) => !keys.has(key))).toEqual([])
  expect(keys.size).toBe(after.length)
  const ben = after.find(({ who, what }) => who === 'Ben' && what === 'lease')
  expect(ben).toMatchObject({ running: false, detail: expect.stringContaining('The agent ended meanwhile') })
  expect(after.filter(({ running }) => running)).toEqual([])
  expect(readdirSync(path.join(folder, 'data', 'timeline-pictures')).length).toBeGreaterThan(0)
})

test('a browser that dies leaves the last picture of its page', async () => {
  await client.call('browser.start', { headless: true })
  // What the first page of a start asks for can be over before anyone listens.
  await client.call('browser.navigate', { url: `${site}/shop` })
  // A takeover is a sure way to have a picture of it.
  const { leaseId } = await client.call('takeover.take', { operator: 'Cleo', reason: '' })
  await entry('lease', ({ who, picture }) => who === 'Cleo' && picture !== null)
  await client.call('takeover.handBack', { leaseId })
  const { processes } = await client.call('browser.status')
  process.kill(processes.find(({ name }) => name === 'chromium')?.pid ?? 0, 'SIGKILL')
  const failed = await entry('browser-failed', ({ picture }) => picture !== null)
  expect(failed).toMatchObject({ kind: 'browser', tone: 'broken' })
})

test('a part of it is asked for by time, kind and number', async () => {
  const [newest, second] = (await list()).entries
  const few = await list({ limit: 2 })
  expect(few).toMatchObject({ more: true, entries: [{ key: newest?.key }, { key: second?.key }] })
  const commands = (await list({ kinds: 'commands,deploys' })).entries
  expect(new Set(commands.map(({ kind }) => kind))).toEqual(new Set(['commands']))
  const old = await list({ to: '2001-01-01T00:00:00Z' })
  expect(old).toMatchObject({ entries: [], more: false })
  const none = await list({ from: new Date(Date.now() + 60_000).toISOString() })
  expect(none.entries.filter(({ running }) => !running)).toEqual([])
})
