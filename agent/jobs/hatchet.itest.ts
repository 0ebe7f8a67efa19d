import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HatchetEngine, startHatchetEngine } from '../../e2e/rigs/hatchet.ts'
import { action, find, type Script } from '../../e2e/rigs/llm.ts'
import { until } from '../../e2e/rigs/until.ts'
import { jobSteps } from '../../shared/contract/jobs.ts'
import { type EngineRig, startEngineRig } from '../engines/engine-rig.ts'

const applicant: Script = (asked) => {
  const typed = /Type "([^"]+)" into the field "([^"]+)"/.exec(asked.text)
  if (typed !== null) return action(find(asked, new RegExp(`^textbox: ${typed[2]}`)), 'fill', typed[1] ?? '')
  if (asked.text.includes('next page of the form')) return action(find(asked, /button: Next/), 'click')
  return action(find(asked, /button: Submit application/), 'click')
}

let hatchet: HatchetEngine
let rig: EngineRig
beforeAll(async () => {
  hatchet = await startHatchetEngine()
  // Read by the SDK itself; the engine of the test has no certificate.
  process.env['HATCHET_CLIENT_TLS_STRATEGY'] = 'none'
  rig = await startEngineRig(applicant, { HATCHET_CLIENT_TOKEN: hatchet.token })
  await until('the worker', () => hatchet.workers.length > 0, 60_000)
})
afterAll(async () => {
  await rig?.stop()
  await hatchet?.stop()
  delete process.env['HATCHET_CLIENT_TLS_STRATEGY']
})

const call: EngineRig['agent']['client']['call'] = (name, params, options) =>
  rig.agent.client.call(name, params, { timeoutMs: 60_000, ...options })
const request = () =>
  until(
    'the captcha',
    async () => (await call('takeover.requests')).requests.find((one) => one.state === 'open'),
    60_000,
  )
const lastJob = async () => (await call('jobs.list', { limit: 1 })).jobs[0]
const ended = () =>
  until('the job to end', async () => {
    const job = await lastJob()
    return job?.state === 'running' ? undefined : job
  })

test('the agent registers the seven steps in a row, with the cleanup at both ends, and says so', async () => {
  const [workflow] = hatchet.workflows
  const steps = jobSteps.filter((step) => step !== 'cleanup')
  expect(workflow).toMatchObject({ name: 'job-application', eventTriggers: ['task:created'], sticky: 1 })
  const tasks = workflow?.tasks.map(({ readableId, parents, retries }) => ({ readableId, parents, retries })) ?? []
  expect(tasks.slice(0, steps.length)).toEqual(
    steps.map((step, place) => ({ readableId: step, parents: steps.slice(Math.max(0, place - 1), place), retries: 0 })),
  )
  expect(tasks.slice(steps.length)).toMatchObject([{ parents: ['verify'] }])
  expect(workflow?.onFailureTask).toBeDefined()
  const { capabilities } = await until('the capability', async () => {
    const status = await call('machine.status')
    return status.capabilities['hatchet']?.available === true ? status : undefined
  })
  expect(capabilities['hatchet']?.detail).toContain('job-application')
}, 60_000)

test('a run goes through all steps in the browser of this machine, with a person for the captcha', async () => {
  const input = { url: `${rig.site}/apply`, fields: { 'Full name': 'Ada' }, expect: 'Application received', more: 1 }
  const { done } = hatchet.run(input)
  const { id, jobId } = await request()
  expect(jobId).toBe((await lastJob())?.id)
  // The browser is taken: a second run waits for its turn instead of getting in between.
  const second = hatchet.run({ url: `${rig.site}/apply`, resume: '../etc/passwd' })
  const { leaseId } = await call('takeover.accept', { id, operator: 'Ann' })
  await call('browser.click', { selector: '#human', leaseId })
  await call('takeover.handBack', { leaseId })
  const run = await done
  expect(run.errors).toEqual({})
  expect(run.order.slice(0, 7)).toEqual(jobSteps.slice(0, 7))
  expect(run.outputs['start-browser']).toEqual({
    ...{ cdpUrl: `ws://127.0.0.1:${rig.agent.port}/v1/browser/cdp`, profile: 'default', detail: 'went there' },
  })
  expect(run.outputs['check-captcha']).toMatchObject({ detail: 'solved by Ann' })
  const job = (await call('jobs.list', { limit: 10 })).jobs.find((one) => one.id === jobId)
  expect(job).toMatchObject({ state: 'succeeded', error: null })
  expect(job?.steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
    ...['start-browser done', 'analyze-form done', 'fill-fields done', 'upload-resume skipped'],
    ...['check-captcha done', 'submit done', 'verify done', 'cleanup done'],
  ])
  // A file outside of the upload folder is refused before a job is made of it, and it is not tried again.
  const refused = await second.done
  expect(refused.order).toEqual(['start-browser', 'on-failure'])
  expect(refused.errors['start-browser']).toBeDefined()
  expect(await call('engine.get')).toMatchObject({ engine: 'none' })
}, 120_000)

test('a run that Hatchet cancels frees the person and the browser, and the job says why it ended', async () => {
  const { done, cancel } = hatchet.run({ url: `${rig.site}/apply` })
  await request()
  cancel()
  const job = await ended()
  expect(job).toMatchObject({ state: 'failed', error: 'Hatchet cancelled it.' })
  expect((await call('takeover.requests')).requests.filter((one) => one.state === 'open')).toEqual([])
  expect((await done).errors['check-captcha']).toBeDefined()
  // The next one finds the browser free.
  const next = hatchet.run({ url: `${rig.site}/apply` })
  await request()
  next.cancel()
  await ended()
}, 60_000)

test('the token is in no answer, event or audit entry', async () => {
  const said = [await call('machine.status'), await call('audit.list', { pageSize: 100 }), await rig.events()]
  expect(JSON.stringify(said)).not.toContain('canary-hatchet-token')
})
