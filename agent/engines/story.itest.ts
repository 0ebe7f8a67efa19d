import { afterAll, beforeAll, expect, test } from 'vitest'
import { action, find, type Script } from '../../e2e/rigs/llm.ts'
import { until } from '../../e2e/rigs/until.ts'
import { type EngineRig, startEngineRig } from './engine-rig.ts'

/** The model sees what is there: it fills what it is asked to, and finds no button where there is none. */
const model: Script = (asked) => {
  if (asked.kind === 'act') {
    const typed = /Type "([^"]+)" into the field "([^"]+)"/.exec(asked.text)
    if (typed !== null) return action(find(asked, new RegExp(`^textbox: ${typed[2]}`)), 'fill', typed[1] ?? '')
    return action(find(asked, /button: Send it/), 'click')
  }
  if (asked.kind === 'cua') return { json: 'I see no such button' }
  return { json: { reasoning: 'no such button', actions: [{ variant: 'task:fail' }] } }
}

let rig: EngineRig
beforeAll(async () => {
  rig = await startEngineRig(model)
})
afterAll(() => rig.stop())

test('from Stagehand through the cascade to a person and back, with everything still there', async () => {
  const { client } = rig.agent
  const run = (instruction: string) => client.call('engine.run', { instruction }, { timeoutMs: 120_000 })
  const filled = await run('Type "Ada" into the field "Name"')
  expect(filled).toMatchObject({ success: true, engine: 'stagehand', mode: 'dom', platform: 'unknown' })
  const page = await rig.page('/form')
  expect(await page.evaluate('document.querySelector("[name=name]").value')).toBe('Ada')

  await page.evaluate('breakForm()')
  const stuck = run('Click the button that sends the form')
  const request = await until(
    'a takeover request',
    async () => {
      const { requests } = await client.call('takeover.requests')
      return requests.find((one) => one.state === 'open')
    },
    90_000,
  )
  expect(request.instruction).toContain('sends the form')
  expect(
    Buffer.from(request.picture ?? '', 'base64')
      .subarray(0, 3)
      .toString('hex'),
  ).toBe('ffd8ff')
  expect(request.leftMs).toBeGreaterThan(60_000)
  expect((await client.call('takeover.get')).openRequests).toBe(1)

  const lease = await client.call('takeover.accept', { id: request.id, operator: 'Ann' })
  expect(await client.call('engine.get')).toMatchObject({ engine: 'human', lease: { operator: 'Ann' } })
  await expect(client.call('engine.connect', { engine: 'stagehand' })).rejects.toMatchObject({
    code: 'held-by-operator',
  })
  expect(await page.evaluate('document.querySelector("[name=name]").value')).toBe('Ada')
  await client.call('browser.click', { selector: '#restore', leaseId: lease.leaseId })

  const given = await client.call(
    'takeover.handBack',
    { leaseId: lease.leaseId, handBackTo: 'stagehand', outcome: 'resolved', note: 'put the button back' },
    { timeoutMs: 40_000 },
  )
  expect(given.toActingMs).toBeGreaterThan(0)
  const helped = await stuck
  expect(helped.attempts.map(({ engine, mode, result }) => `${engine} ${mode} ${result}`)).toEqual([
    ...Array.from({ length: 3 }, () => 'stagehand dom failed'),
    ...Array.from({ length: 2 }, () => 'stagehand cua failed'),
    ...Array.from({ length: 3 }, () => 'magnitude null failed'),
    'human null success',
  ])
  expect(await client.call('engine.get')).toMatchObject({ engine: 'stagehand', mode: 'dom', lease: null })
  const control = await client.call('takeover.get')
  expect(control).toMatchObject({ driver: { engine: 'stagehand', mode: 'dom' }, openRequests: 0 })

  const sent = await run('Click the button that sends the form')
  expect(sent.attempts).toHaveLength(1)
  await until('the form to arrive', () => rig.asked.includes('/sent?name=Ada&email='))
  page.close()

  const events = await rig.events()
  const told = events.flatMap((event) => {
    if (event.type === 'engine_operation')
      return [`${event.attempt.engine} ${event.attempt.mode} ${event.attempt.result}`]
    if (event.type === 'cascade_escalation') return [`escalates to ${event.to.engine} ${event.to.mode}`]
    if (event.type === 'takeover_request') return [`request ${event.change}`]
    if (event.type === 'takeover_lease') return [`lease ${event.change}`]
    if (event.type === 'human_takeover') return [`human ${event.change}`]
    return []
  })
  expect(told).toEqual([
    'stagehand dom success',
    ...Array.from({ length: 3 }, () => 'stagehand dom failed'),
    'escalates to stagehand cua',
    ...Array.from({ length: 2 }, () => 'stagehand cua failed'),
    'escalates to magnitude null',
    ...Array.from({ length: 3 }, () => 'magnitude null failed'),
    'escalates to human null',
    'request raised',
    'request accepted',
    'lease taken',
    'human began',
    'lease handed_back',
    'human ended',
    'request done',
    'human null success',
    'stagehand dom success',
  ])
  const switches = events.flatMap((event) => (event.type === 'engine_switch' ? [event.record] : []))
  expect(switches.map(({ to, success }) => `${to.engine} ${to.mode} ${success}`)).toEqual([
    'stagehand dom true',
    'stagehand cua true',
    'magnitude null true',
  ])
  for (const { steps } of switches) expect(steps.map(({ step }) => step)).toHaveLength(8)
  expect(events.some((event) => event.type === 'engine_switch_recovery' && event.sameUrl)).toBe(true)

  const audit = await client.call('audit.list', { pageSize: 100 })
  const actions = audit.entries.map(({ action: name, result }) => `${name} ${result}`).reverse()
  expect(actions).toEqual([
    ...['browser_start success', 'act success', 'act success', 'takeover success'],
    // An engine was refused while the person had control; the click was the person's own.
    ...['engine_switch failure', 'act success', 'hand_back success', 'act success'],
  ])
  const stats = await client.call('engine.stats', {})
  expect(stats.takeovers).toMatchObject({ count: 1 })
  expect(stats.takeovers.meanAcceptedToControlMs).toBeLessThan(5000)
  expect(stats.takeovers.meanHandBackToActingMs).toBeGreaterThan(0)
  expect(stats.engines.find(({ engine }) => engine === 'magnitude')).toMatchObject({ operations: 3, successRate: 0 })
  expect(JSON.stringify([events, audit, stats])).not.toContain('canary-key')
}, 150_000)
