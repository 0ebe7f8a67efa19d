import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { HatchetRuns } from './hatchet-runs.ts'
import { HatchetWorker, inspectHatchet } from './hatchet-worker.ts'
import type { JobRun } from './jobs.service.ts'

const never = new AbortController().signal
const input = { url: 'http://site/apply' }

function world(options: { silenceMs?: number } = {}) {
  const state = { busy: undefined as Problem | undefined, fails: null as string | null }
  const log: string[] = []
  const jobs = {
    begin: () => {
      if (state.busy !== undefined) throw state.busy
      log.push('begin')
      const run: JobRun = {
        view: { steps: [{ step: 'submit', detail: 'sent' }] } as unknown as JobRun['view'],
        take: async (step) => {
          log.push(step)
          return state.fails
        },
        cancel: () => void log.push('cancel'),
        finish: async (error) => void log.push(`finish ${error}`),
      }
      return run
    },
  }
  const browser = () => ({ cdpUrl: 'ws://here', profile: 'default' })
  const final = (message: string) => new Error(`final: ${message}`)
  return { state, log, runs: new HatchetRuns({ jobs, browser, final, lookMs: 1, ...options }) }
}

test('a run waits while the browser is taken, by a job or by a person, and then has it', async () => {
  const { state, log, runs } = world()
  state.busy = new Problem('conflict', 'a job runs')
  const waiting = runs.take('r', 'start-browser', input, never)
  await sleep(10)
  state.busy = new Problem('held-by-operator', 'Ann has it')
  await sleep(10)
  expect(log).toEqual([])
  state.busy = undefined
  await waiting
  expect(await runs.take('r', 'submit', input, never)).toEqual({
    ...{ cdpUrl: 'ws://here', profile: 'default', detail: 'sent' },
  })
  await runs.end('r', null)
  await runs.end('r', 'twice')
  expect(log).toEqual(['begin', 'start-browser', 'submit', 'finish null'])
})

test('what cannot become better is final: bad input, a step that failed, a job that is not here', async () => {
  const { state, runs } = world()
  await expect(runs.take('r', 'start-browser', { url: 7 }, never)).rejects.toThrow(/final: .*input is not usable/)
  await expect(runs.take('other', 'submit', input, never)).rejects.toThrow(/final: .*restarted/)
  state.fails = 'submit: no button'
  await expect(runs.take('r', 'start-browser', input, never)).rejects.toThrow('final: submit: no button')
})

test('a run of which nothing is heard any more frees the browser; so does one that is cancelled', async () => {
  const { log, runs } = world({ silenceMs: 5 })
  await runs.take('r', 'start-browser', input, never)
  await expect.poll(() => log.at(-1)).toBe('finish Hatchet sent no further step.')
  const cancel = new AbortController()
  const { state, runs: others } = world()
  state.busy = new Problem('conflict', 'a job runs')
  const waiting = others.take('s', 'start-browser', input, cancel.signal)
  cancel.abort()
  await expect(waiting).rejects.toThrow()
})

test('without a token, or without the package, the agent is no worker and says what to do', () => {
  expect(inspectHatchet({ token: undefined })).toMatchObject({ available: false, install: null })
  const missing = inspectHatchet({ token: 't', library: '@hatchet-dev/not-there' })
  expect(missing).toMatchObject({ available: false, install: expect.stringContaining('npm install') as string })
  const worker = new HatchetWorker({
    ...{ token: 't', library: '@hatchet-dev/not-there', log: () => {}, jobs: world().runs as never },
    browser: () => ({ cdpUrl: null, profile: null }),
  })
  worker.start()
  expect(worker.capability).toEqual(missing)
})

test('an engine that is not there is tried again and again, and stopping does not wait for it', async () => {
  const warned: string[] = []
  const worker = new HatchetWorker({
    ...{ token: 'not.a.token', log: (_level, message) => void warned.push(message), jobs: world().runs as never },
    browser: () => ({ cdpUrl: null, profile: null }),
  })
  worker.start()
  await expect.poll(() => warned.length, { timeout: 20_000 }).toBeGreaterThan(0)
  expect(worker.capability).toMatchObject({
    available: false,
    detail: expect.stringContaining('could not be reached') as string,
  })
  await worker.stop()
}, 30_000)
