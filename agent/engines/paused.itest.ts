import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { action, find, type Script } from '../../e2e/rigs/llm.ts'
import { until } from '../../e2e/rigs/until.ts'
import { type EngineRig, startEngineRig } from './engine-rig.ts'

const clicker: Script = (asked) => action(find(asked, /button: Count/), 'click')

let rig: EngineRig
beforeAll(async () => {
  rig = await startEngineRig(clicker, { PILOTHOUSE_LEASE_EXPIRY: 'keep_paused' })
})
afterAll(() => rig.stop())

const call: EngineRig['agent']['client']['call'] = (name, params, options) =>
  rig.agent.client.call(name, params, { timeoutMs: 60_000, ...options })

test('where a lease that runs out keeps the browser paused, nobody drives it until a person gives it back', async () => {
  await rig.go('/count')
  const page = await rig.page('/count')
  const seen = () => page.evaluate<number>('seen.mousedown + seen.keydown')
  await call('engine.connect', { engine: 'stagehand' })
  await call('takeover.take', { operator: 'Ann', ttlMs: 1000 })
  await until('the lease to run out', async () => (await call('takeover.get')).lease === null)
  expect(await call('engine.get')).toMatchObject({
    ...{ engine: 'none', state: 'paused', paused: { engine: 'stagehand' }, lease: null },
  })

  const refused = { code: 'held-by-operator', message: expect.stringContaining('is paused') as string }
  await expect(call('engine.connect', { engine: 'magnitude' })).rejects.toMatchObject(refused)
  await expect(call('engine.run', { instruction: 'click Count' })).rejects.toMatchObject({ code: refused.code })
  await expect(call('browser.click', { selector: '#big' })).rejects.toMatchObject(refused)
  await expect(call('jobs.start', { url: `${rig.site}/apply` })).rejects.toMatchObject(refused)

  const [tab] = (await call('tabs.list')).tabs
  const url = `ws://127.0.0.1:${rig.agent.port}/v1/browser/cdp/devtools/page/${tab?.id}`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${rig.agent.secret}` } })
  await new Promise((resolve) => socket.once('open', resolve))
  const said = (method: string, params: object) =>
    new Promise<string>((resolve) => {
      const id = ++asked
      const listen = (data: unknown) => {
        const answer = JSON.parse(String(data)) as { id?: number; error?: { message: string } }
        if (answer.id !== id) return
        socket.off('message', listen)
        resolve(answer.error?.message ?? 'done')
      }
      socket.on('message', listen)
      socket.send(JSON.stringify({ id, method, params }))
    })
  let asked = 0
  const press = () =>
    said('Input.dispatchMouseEvent', { type: 'mousePressed', x: 200, y: 200, button: 'left', clickCount: 1 })
  expect(await press()).toMatch(/is paused/)
  expect(await said('Runtime.evaluate', { expression: 'seen.mousedown++' })).toMatch(/is paused/)
  expect(await seen()).toBe(0)

  const { leaseId } = await call('takeover.take', { operator: 'Ben' })
  expect(await press()).toMatch(/Ben has control/)
  await call('takeover.handBack', { leaseId })
  expect(await press()).toBe('done')
  expect(await seen()).toBe(1)
  socket.close()
  await until('the place to be free', async () => (await call('cdp.clients')).clients.length === 0)
  expect((await call('engine.run', { instruction: 'click Count' })).success).toBe(true)
  page.close()
}, 90_000)
