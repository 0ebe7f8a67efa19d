import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { action, find, type Script, steps } from '../../e2e/rigs/llm.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { until } from '../../e2e/rigs/until.ts'
import { type EngineRig, startEngineRig } from './engine-rig.ts'

/** Clicks the big button, whoever asks. */
const clicker: Script = (asked) => {
  if (asked.kind === 'act' || asked.kind === 'observe') return action(find(asked, /button: Count/), 'click')
  if (asked.kind === 'extract') return { json: { title: 'Count' } }
  if (asked.kind === 'progress') return { json: { progress: 'all of it', completed: true } }
  return steps({ variant: 'mouse:click', x: 300, y: 300 })
}

let rig: EngineRig
let usual: Awaited<ReturnType<typeof config>>
const config = () => call('engine.config')
beforeAll(async () => {
  rig = await startEngineRig(clicker)
  usual = await config()
})
afterAll(() => rig.stop())
afterEach(async () => {
  rig.llm.says(clicker)
  if (held !== null) await call('takeover.handBack', { leaseId: held }).catch(() => {})
  held = null
  await call('engine.setConfig', usual)
  await call('engine.release', { force: true })
})

const call: EngineRig['agent']['client']['call'] = (name, params, options) =>
  rig.agent.client.call(name, params, { timeoutMs: 60_000, ...options })
// A test that failed half-way must not keep the next ones out.
let held: string | null = null
const take = async () => {
  const lease = await call('takeover.take', { operator: 'Ann', ttlMs: 60_000 })
  held = lease.leaseId
  return lease
}
const give = (leaseId: string) => call('takeover.handBack', { leaseId })
const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
const median = (values: number[]) => percentile(values, 0.5)
/** In full: `PILOTHOUSE_SOAK=1`. */
const switches = times(6, 100)
const takeovers = times(4, 100)

describe('switching', () => {
  test(`${switches} times in a row between the two, and after every one the page is as it was`, async () => {
    await rig.go('/count')
    const page = await rig.page('/count')
    await page.evaluate(`field.value = 'typed'; localStorage.kept = 'yes'; sessionStorage.also = 'yes'; window.mark = 7;
      document.cookie = 'mine=1'; scrollTo(0, 400); field.focus({ preventScroll: true })`)
    const { id: tabId } = await call('tabs.open', { url: `${rig.site}/other` })
    await call('tabs.activate', { id: (await call('tabs.list')).tabs.find((tab) => tab.id !== tabId)?.id ?? '' })
    const tabs = async () => (await call('tabs.list')).tabs.map(({ id, url }) => `${id} ${url}`).sort()
    const before = await tabs()
    const state = `({ field: field.value, stored: localStorage.kept, also: sessionStorage.also, mark: window.mark,
      y: scrollY, cookie: document.cookie, focused: document.activeElement.id, clicks: seen.mousedown + seen.keydown,
      frames: document.querySelectorAll('iframe').length, loaded: performance.timeOrigin })`
    const expected = await page.evaluate<Record<string, unknown>>(state)
    expect(expected).toMatchObject({
      ...{ field: 'typed', stored: 'yes', also: 'yes', mark: 7, y: 400, cookie: 'session=kept; mine=1' },
      ...{ focused: 'field', clicks: 0, frames: 1 },
    })
    const taken: number[] = []
    await call('engine.connect', { engine: 'stagehand' })
    for (let i = 0; i < switches; i++) {
      const to = i % 2 === 0 ? 'magnitude' : 'stagehand'
      const record = await call('engine.switch', { to, reason: 'a test' })
      expect(record).toMatchObject({ success: true, to: { engine: to } })
      expect(record.pageState).toMatchObject({ url: `${rig.site}/count`, scroll: { x: 0, y: 400 }, complete: true })
      expect(await page.evaluate(state), `after switch ${i + 1}`).toEqual(expected)
      expect(await tabs(), `after switch ${i + 1}`).toEqual(before)
      taken.push(record.durationMs)
    }
    page.close()
    await call('tabs.close', { id: tabId })
    console.log(`${switches} switches: median ${median(taken)} ms, p95 ${percentile(taken, 0.95)} ms`)
    expect((await call('engine.history', { limit: switches })).switches).toHaveLength(switches)
  }, 600_000)

  test('Magnitude works in the tab in front, and never rewrites the page to read it', async () => {
    await rig.go('/count')
    const { id: tabId } = await call('tabs.open', { url: `${rig.site}/other` })
    await call('engine.connect', { engine: 'magnitude' })
    expect(await call('engine.get')).toMatchObject({ engine: 'magnitude', state: 'connected' })
    const reading = call('engine.run', { instruction: 'the title', kind: 'extract', cascade: false })
    await expect(reading).rejects.toMatchObject({ code: 'engine-failed' })
    await call('tabs.close', { id: tabId })
    const page = await rig.page('/count')
    expect(await page.evaluate('document.querySelectorAll("iframe").length')).toBe(1)
    page.close()
  })

  test('extracting by a JSON schema', async () => {
    await rig.go('/count')
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
    const read = await call('engine.run', { instruction: 'the title', kind: 'extract', schema })
    expect(read).toMatchObject({ success: true, data: { title: 'Count' } })
  })

  test('platforms are told from what the pages are made of', async () => {
    for (const platform of ['workday', 'greenhouse', 'lever', 'linkedin']) {
      await rig.go(`/${platform}`)
      await call('engine.switch', { to: 'stagehand' })
      const found = (await rig.events()).findLast((event) => event.type === 'engine_switch_recovery')
      expect(found).toMatchObject({ platform })
    }
  })
})

describe('a person in control', () => {
  test(`${takeovers} takeovers from an engine that keeps clicking: nothing of it reaches the page`, async () => {
    await rig.go('/count')
    const page = await rig.page('/count')
    let during = 0
    let outside = 0
    const taking: number[] = []
    for (let i = 0; i < takeovers; i++) {
      await call('engine.connect', { engine: i % 2 === 0 ? 'stagehand' : 'magnitude' })
      const before = await page.evaluate<number>('seen.mousedown')
      let over = false
      const clicking = (async () => {
        while (!over) await call('engine.run', { instruction: 'click Count', cascade: false }).catch(() => {})
      })()
      await until('a click', async () => (await page.evaluate<number>('seen.mousedown')) > before)
      const began = performance.now()
      const { leaseId } = await take()
      taking.push(performance.now() - began)
      const held = await page.evaluate<number>('seen.mousedown + seen.keydown')
      outside += held - before
      await sleep(150)
      during += (await page.evaluate<number>('seen.mousedown + seen.keydown')) - held
      over = true
      await clicking
      await give(leaseId)
    }
    page.close()
    console.log(
      `${takeovers} takeovers: median ${Math.round(median(taking))} ms, p95 ${Math.round(percentile(taking, 0.95))} ms, ${outside} engine actions before, ${during} during`,
    )
    expect(during).toBe(0)
    expect(outside).toBeGreaterThanOrEqual(takeovers)
  }, 900_000)

  test('an engine that is only connected is filtered, and one that comes back sees the tab that was left', async () => {
    await rig.go('/count')
    await call('engine.connect', { engine: 'stagehand' })
    const { leaseId } = await take()
    expect(await call('engine.get')).toMatchObject({ engine: 'human', paused: { engine: 'stagehand' } })
    const { id: tabId } = await call('tabs.open', { url: `${rig.site}/other`, leaseId })
    for (const handBackTo of ['magnitude', 'stagehand'] as const) {
      const lease = handBackTo === 'magnitude' ? { leaseId } : await take()
      await call('takeover.handBack', { leaseId: lease.leaseId, handBackTo })
      const connected = (await rig.events()).findLast((event) => event.type === 'engine_connected')
      expect(connected).toMatchObject({ engine: handBackTo, url: `${rig.site}/other` })
    }
    await call('tabs.close', { id: tabId })
  })

  test('keeps control when the engine cannot take it', async () => {
    await rig.go('/count')
    const { leaseId } = await take()
    // Whoever drives over the relay has the place that the engine would need.
    const { WebSocket } = await import('ws')
    const other = new WebSocket(`ws://127.0.0.1:${rig.agent.port}/v1/browser/cdp`, {
      headers: { authorization: `Bearer ${rig.agent.secret}` },
    })
    await new Promise((resolve) => other.once('open', resolve))
    const refused = call('takeover.handBack', { leaseId, handBackTo: 'stagehand' })
    await expect(refused).rejects.toMatchObject({
      code: 'controller-busy',
      message: expect.stringContaining('You keep control') as string,
    })
    expect((await call('takeover.get')).lease?.operator).toBe('Ann')
    other.terminate()
    await until('the place to be free', async () => (await call('cdp.clients')).clients.length === 0)
    await give(leaseId)
  })

  test('who does not renew loses it, and the engine that waited goes on', async () => {
    await rig.go('/count')
    await call('engine.connect', { engine: 'stagehand' })
    await call('takeover.take', { operator: 'Ann', ttlMs: 1000 })
    await until('the lease to run out', async () => (await call('takeover.get')).lease === null)
    const page = await rig.page('/count')
    const ran = await call('engine.run', { instruction: 'click Count', cascade: false })
    expect(ran.success).toBe(true)
    expect(await page.evaluate('seen.click')).toBe(1)
    page.close()
  })
})

describe('a model that misbehaves', () => {
  /** Once, and no more: how often it tries again is shown below. */
  const domOnly = async (timeMs: number) => {
    const dom = { engine: 'stagehand', mode: 'dom', retries: 0, timeMs } as const
    const stagehand = { ...usual.limits.stagehand, retries: 0 }
    await call('engine.setConfig', {
      ...{ cascade: { ...usual.cascade, levels: [dom] }, limits: { ...usual.limits, stagehand } },
    })
  }

  test('too slow: the attempt is aborted, and its late answer does nothing', async () => {
    await domOnly(1500)
    await rig.go('/count')
    const tooLate = Promise.withResolvers<void>()
    let answered = false
    rig.llm.says(async (asked) => {
      await tooLate.promise
      answered = true
      return clicker(asked)
    })
    const failed = await call('engine.run', { instruction: 'click Count' }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'engine-failed', extra: { attempts: [{ result: 'timed_out' }] } })
    // Nor is the model kept at work, which costs.
    await expect.poll(() => rig.llm.waiting).toBe(0)
    tooLate.resolve()
    await until('the late answer', () => answered)
    // As long as it would have taken to act on it.
    await sleep(300)
    const page = await rig.page('/count')
    expect(await page.evaluate('seen.click')).toBe(0)
    page.close()
  })

  test.each([
    ['garbage', { garbage: '{{{ not JSON' }],
    ['nothing fitting', { json: { action: null, twoStep: false } }],
    ['a refusal', { status: 401 }],
  ] as const)('answers %s: the attempt fails, the browser and the agent do not', async (_name, said) => {
    await domOnly(15_000)
    await rig.go('/count')
    rig.llm.says(() => said)
    const failed = await call('engine.run', { instruction: 'click Count' }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'engine-failed' })
    rig.llm.says(clicker)
    expect((await call('engine.run', { instruction: 'click Count' })).success).toBe(true)
  })
})

describe('retries inside the engine, and its confidence', () => {
  const levels = (count: 1 | 2) => {
    const dom = { engine: 'stagehand', mode: 'dom', retries: 0, timeMs: 15_000 } as const
    return [dom, { ...dom, mode: 'cua' } as const].slice(0, count)
  }
  const set = (retries: number, count: 1 | 2 = 1) =>
    call('engine.setConfig', {
      cascade: { ...usual.cascade, levels: levels(count) },
      limits: { ...usual.limits, stagehand: { ...usual.limits.stagehand, retries } },
    })

  test('a model that stumbles twice is asked again within the attempt, as often as is set and no more', async () => {
    await rig.go('/count')
    let left = 2
    rig.llm.says((asked) => (left-- > 0 ? { garbage: '{{{ not JSON' } : clicker(asked)))
    await set(2)
    const helped = await call('engine.run', { instruction: 'click Count' })
    expect(helped.attempts).toMatchObject([{ result: 'success' }])
    left = 2
    await set(1)
    const failed = await call('engine.run', { instruction: 'click Count' }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ extra: { attempts: [{ result: 'failed' }] } })
    expect(left).toBe(0)
    const page = await rig.page('/count')
    expect(await page.evaluate('seen.click')).toBe(1)
    page.close()
  })

  test('an answer that is not sure enough goes on to the next level, and is in the trail', async () => {
    await rig.go('/count')
    await set(0, 2)
    const sure = [0.4, 0.9]
    rig.llm.says((asked) =>
      asked.kind === 'extract' ? { json: { title: 'Count', confidence: sure.shift() } } : clicker(asked),
    )
    const number = { type: 'number' }
    const schema = { type: 'object', properties: { title: { type: 'string' }, confidence: number } }
    const read = await call('engine.run', { instruction: 'the title, and how sure you are', kind: 'extract', schema })
    expect(read).toMatchObject({ success: true, mode: 'cua', confidence: 0.9, data: { title: 'Count' } })
    expect(read.attempts).toMatchObject([
      { mode: 'dom', result: 'not_confident', confidence: 0.4 },
      { mode: 'cua', result: 'success', confidence: 0.9 },
    ])
    const escalation = (await rig.events()).findLast((event) => event.type === 'cascade_escalation')
    expect(escalation).toMatchObject({ reason: expect.stringContaining('confidence') as string })
  })
})

describe('settings and requests', () => {
  test('bad settings are refused, good ones outlive the agent', async () => {
    const { cascade } = usual
    const human = { engine: 'human', mode: null, retries: 0, timeMs: 1000 } as const
    const dom = { engine: 'stagehand', mode: 'dom', retries: 0, timeMs: 1000 } as const
    for (const levels of [[human, dom], [dom, dom], [{ ...dom, mode: null }]])
      await expect(call('engine.setConfig', { cascade: { ...cascade, levels } })).rejects.toMatchObject({
        code: 'invalid-params',
      })
    await call('engine.setConfig', { pins: { lever: 'magnitude' } })
    const operations = (await call('engine.stats', {})).runs.count
    await rig.agent.restart()
    await until('the agent to answer again', () => call('engine.config'))
    expect((await call('engine.config')).pins).toEqual({ lever: 'magnitude' })
    const stats = await call('engine.stats', {})
    expect(stats.runs.count).toBe(operations)
    expect(stats.orders.find(({ platform }) => platform === 'lever')).toMatchObject({
      first: 'magnitude',
      rule: 'pinned',
    })
    await expect(call('engine.connect', { engine: 'stagehand' })).rejects.toMatchObject({ code: 'not-active' })
    await call('browser.start', { headless: true, url: `${rig.site}/count` })
  })

  test('a request can be handed on and declined, and then the operation fails at once', async () => {
    const { cascade } = usual
    const human = { engine: 'human', mode: null, retries: 1, timeMs: 60_000 } as const
    await call('engine.setConfig', { cascade: { ...cascade, levels: [human] } })
    const running = call('engine.run', { instruction: 'help' }).catch((error: unknown) => error)
    const open = () => call('takeover.requests').then(({ requests }) => requests.find((one) => one.state === 'open'))
    const request = await until('a request', open)
    expect(await call('takeover.handOn', { id: request.id, to: 'Ben' })).toMatchObject({
      assignedTo: 'Ben',
      state: 'open',
    })
    expect(await call('takeover.decline', { id: request.id, reason: 'not now' })).toMatchObject({ state: 'declined' })
    expect(await running).toMatchObject({
      code: 'engine-failed',
      extra: { attempts: [{ result: 'declined', detail: 'not now' }] },
    })
    await expect(call('takeover.accept', { id: request.id, operator: 'Ann' })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(call('takeover.accept', { id: 'none', operator: 'Ann' })).rejects.toMatchObject({ code: 'not-found' })
    await call('engine.setConfig', { cascade: { ...cascade, levels: [{ ...human, retries: 0, timeMs: 200 }] } })
    const unheard = await call('engine.run', { instruction: 'help' }).catch((error: unknown) => error)
    expect(unheard).toMatchObject({ code: 'engine-failed', extra: { attempts: [{ result: 'timed_out' }] } })
  })
})

describe('a job', () => {
  const applicant: Script = (asked) => {
    const typed = /Type "([^"]+)" into the field "([^"]+)"/.exec(asked.text)
    if (typed !== null) return action(find(asked, new RegExp(`^textbox: ${typed[2]}`)), 'fill', typed[1] ?? '')
    const chosen = /Choose "([^"]+)" in the field "([^"]+)"/.exec(asked.text)
    if (chosen !== null)
      return action(
        find(asked, new RegExp(`^(combobox|select)[^:]*: ${chosen[2]}`)),
        'selectOptionFromDropdown',
        chosen[1] ?? '',
      )
    if (asked.text.includes('next page of the form')) return action(find(asked, /button: Next/), 'click')
    return action(find(asked, /button: Submit application/), 'click')
  }
  const ended = (id: string) =>
    until(
      'the job to end',
      async () => {
        const job = await call('jobs.get', { id })
        return job.state === 'running' ? undefined : job
      },
      60_000,
    )

  test('goes through its seven steps, with a person for the captcha, and cleans up', async () => {
    rig.llm.says(applicant)
    mkdirSync(rig.agent.config.uploadDir, { recursive: true })
    writeFileSync(path.join(rig.agent.config.uploadDir, 'cv.pdf'), 'a resume')
    const fields = { 'Full name': 'Ada Lovelace', Country: 'Peru', 'Notice period': 'none' }
    const { id } = await call('jobs.start', {
      url: `${rig.site}/apply`,
      fields,
      resume: 'cv.pdf',
      expect: 'Application received',
    })
    await expect(call('jobs.start', { url: `${rig.site}/apply` })).rejects.toMatchObject({ code: 'conflict' })
    const request = await until(
      'the captcha',
      async () => {
        const { requests } = await call('takeover.requests')
        return requests.find((one) => one.state === 'open')
      },
      60_000,
    )
    expect(request).toMatchObject({ jobId: id })
    const { leaseId } = await call('takeover.accept', { id: request.id, operator: 'Ann' })
    await call('browser.click', { selector: '#human', leaseId })
    await give(leaseId)
    const job = await ended(id)
    expect(job).toMatchObject({ state: 'succeeded', error: null })
    expect(job.steps.map(({ step, state }) => `${step} ${state}`)).toEqual(
      [
        'start-browser',
        'analyze-form',
        'fill-fields',
        'upload-resume',
        'check-captcha',
        'submit',
        'verify',
        'cleanup',
      ].map((step) => `${step} done`),
    )
    // Page by page, each with what was on it.
    expect(rig.asked.filter((url) => url.startsWith('/appl') && url.includes('?'))).toEqual([
      ...['/apply2?fullName=Ada+Lovelace&country=Peru', '/apply3?resume=cv.pdf', '/applied?notice=none'],
    ])
    expect(job.steps.find(({ step }) => step === 'fill-fields')?.detail).toBe('3 fields on 3 pages')
    expect(job.steps.find(({ step }) => step === 'check-captcha')?.detail).toBe('solved by Ann')
    expect(await call('engine.get')).toMatchObject({ engine: 'none' })
  }, 90_000)

  test('that fails still cleans up', async () => {
    await expect(call('jobs.start', { url: `${rig.site}/apply`, resume: '../secret' })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const { id } = await call('jobs.start', { url: 'http://127.0.0.1:9/nobody' })
    const job = await ended(id)
    expect(job).toMatchObject({ state: 'failed' })
    expect(job.steps.map(({ state }) => state)).toEqual(['failed', ...Array(6).fill('skipped'), 'done'])
  })
})

test('a browser that dies under an engine: the run says so, and nothing pretends to go on', async () => {
  await rig.go('/count')
  rig.llm.says(() => ({ hang: true }))
  const running = call('engine.run', { instruction: 'click Count' }).catch((error: unknown) => error)
  await until(
    'the engine to ask',
    () =>
      rig.llm.asked.length > 0 &&
      call('engine.get').then(({ runId, state }) => runId !== null && state === 'connected'),
  )
  const { processes } = await call('browser.status')
  process.kill(processes.find(({ name }) => name === 'chromium')?.pid ?? 0, 'SIGKILL')
  expect(await running).toMatchObject({ code: 'browser-died' })
  expect(await call('engine.get')).toMatchObject({ engine: 'none', state: 'idle', runId: null })
})
