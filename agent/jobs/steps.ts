import { setTimeout as sleep } from 'node:timers/promises'
import type { JobStepName } from '../../shared/contract/jobs.ts'
import { detectPlatform, type Platform } from '../../shared/domain/platforms.ts'
import { Problem } from '../../shared/errors.ts'
import type { BrowserService } from '../browser/browser.service.ts'
import type { BrowserPort } from '../engines/browser-port.ts'
import type { SandboxController } from '../engines/controller.ts'
import type { FormFacts, FormField } from '../engines/page-state.ts'
import type { EngineRunner } from '../engines/runner.ts'
import { upload } from '../pages/act.ts'
import { navigate } from '../pages/navigation.ts'
import { uploadPath } from '../pages/upload-path.ts'
import type { LeaseService } from '../takeover/lease.service.ts'
import type { TakeoverRequests } from '../takeover/requests.service.ts'

/** What a job works with; live things stay here, and only words go into its record. */
export interface JobTools {
  browser: BrowserService
  leases: LeaseService
  runner: EngineRunner
  requests: TakeoverRequests
  controller: SandboxController
  port: BrowserPort
  uploadDir: string
}

export interface JobAsked {
  id: string
  url: string
  fields: Record<string, string>
  resume: string | undefined
  platform: Platform | undefined
  headless: boolean
  expect: string | undefined
}

/** What the steps tell each other. */
export interface JobProgress {
  startedBrowser: boolean
  platform: Platform
  fields: FormField[]
  /** Whether the resume is in its field: its page may be passed before its turn. */
  uploaded: boolean
  /** Who solved a captcha, when there was one. */
  solvedBy: string | null
  /** Given when the job is cancelled. */
  signal: AbortSignal
}

/** Returns what there is to say about it; `skipped` when there was nothing to do. */
export type StepWork = (job: JobAsked, progress: JobProgress, tools: JobTools) => Promise<string | { skipped: string }>

const loadMs = 30_000
const uploadMs = 15_000
const captchaMs = 120_000
const verifyMs = 15_000
/** For the next page of a form to come. */
const turnMs = 15_000
const lookMs = 250

const startBrowser: StepWork = async (job, progress, { browser, leases }) => {
  progress.signal.throwIfAborted()
  if (browser.session === null) {
    const size = { width: 1280, height: 720, dpi: 96, recordingFps: 30, streamFrameRate: 30 }
    await browser.start({ ...size, url: 'about:blank', headless: job.headless, provider: 'chromium' })
    progress.startedBrowser = true
  }
  mayAct(leases)
  const { pages } = browser.requireSession()
  const page = pages.requireFront()
  await page.perform({ limitMs: loadMs, evenCrashed: true }, (operation) =>
    navigate(pages, page, operation, job.url, 'load'),
  )
  return progress.startedBrowser ? 'started, and went there' : 'went there'
}

const analyzeForm: StepWork = async (job, progress, { port }) => {
  const facts = await port.facts()
  progress.platform = job.platform ?? detectPlatform(facts)
  progress.fields = facts.form.fields
  const { page } = facts.form
  const where = page === null ? '' : `, page ${page.page} of ${page.of}`
  return `${facts.form.fields.length} fields on ${progress.platform}${where}`
}

/** Fills in what it finds page by page, and leaves a page only while something is wanted that is not on it. */
const fillFields: StepWork = async (job, progress, tools) => {
  const wanted = Object.entries(job.fields)
  if (wanted.length === 0) return { skipped: 'there is nothing to fill in' }
  let left = wanted
  for (let pages = 1; ; pages++) {
    const { form } = await tools.port.facts()
    // On the last page an engine is also sent for what could not be read: it may know better.
    const here = isLast(form) ? left : left.filter(([name]) => fieldOf(form, name) !== undefined)
    for (const [name, value] of here) await fill(job, progress, tools, form, name, value)
    left = left.filter((entry) => !here.includes(entry))
    if (left.length === 0) return `${wanted.length} fields${pages === 1 ? '' : ` on ${pages} pages`}`
    await goOn(job, progress, tools, form)
  }
}

const uploadResume: StepWork = async (job, progress, tools) => {
  if (job.resume === undefined) return { skipped: 'no file was given' }
  for (;;) {
    if (progress.uploaded) return 'the file is in its field'
    const { form } = await tools.port.facts()
    if (isLast(form) || hasFileField(form)) await putResume(job, progress, tools)
    else await goOn(job, progress, tools, form)
  }
}

/** Also goes through the pages that are left, since one that blocks the last of them blocks the rest. */
const checkCaptcha: StepWork = async (job, progress, tools) => {
  for (;;) {
    const { form } = await tools.port.facts()
    if (form.captcha !== null) await haveSolved(job, progress, tools, form.captcha)
    else if (isLast(form)) return progress.solvedBy === null ? 'none' : `solved by ${progress.solvedBy}`
    else await goOn(job, progress, tools, form)
  }
}

const submit: StepWork = async (job, progress, { runner }) => {
  await act(runner, job, progress, 'Click the button that submits the application')
  return 'sent'
}

const verify: StepWork = async (job, progress, { port }) => {
  const deadline = performance.now() + verifyMs
  const arrived = (text: string) =>
    job.expect === undefined ? /thank you|received|submitted|success/i.test(text) : text.includes(job.expect)
  for (;;) {
    const facts = await port.facts().catch(() => undefined)
    if (facts !== undefined && arrived(facts.text)) return `the page says so: ${facts.title}`
    if (performance.now() > deadline)
      throw new Problem(
        'engine-failed',
        `The page does not say that it arrived: ${facts?.title ?? 'it does not answer'}.`,
      )
    await sleep(lookMs, undefined, { signal: progress.signal })
  }
}

/** Always runs: leaves no engine connected, and no browser that was started for the job alone. */
const cleanup: StepWork = async (_job, progress, { controller, browser, leases }) => {
  await controller.release(true)
  if (!progress.startedBrowser || leases.current !== null) return 'the engine is released'
  await browser.stop('the job is over')
  return 'the engine is released, and the browser that the job had started is stopped'
}

export const stepWork: Record<JobStepName, StepWork> = {
  'start-browser': startBrowser,
  'analyze-form': analyzeForm,
  'fill-fields': fillFields,
  'upload-resume': uploadResume,
  'check-captcha': checkCaptcha,
  submit,
  verify,
  cleanup,
}

async function fill(
  job: JobAsked,
  progress: JobProgress,
  { runner, port }: JobTools,
  form: FormFacts,
  name: string,
  value: string,
): Promise<void> {
  const verb = fieldOf(form, name)?.type === 'select' ? `Choose "${value}" in` : `Type "${value}" into`
  await act(runner, job, progress, `${verb} the field "${name}"`)
  // An engine that says it did something need not have.
  const after = fieldOf((await port.facts()).form, name)
  if (after?.filled === false) throw new Problem('engine-failed', `The field "${name}" is still empty.`)
}

async function putResume(
  job: JobAsked,
  progress: JobProgress,
  { browser, leases, uploadDir }: JobTools,
): Promise<void> {
  const file = uploadPath(uploadDir, job.resume ?? '')
  const page = browser.requireSession().pages.requireFront()
  await page.perform({ limitMs: uploadMs }, (operation) =>
    upload(page, operation, () => mayAct(leases), { selector: 'input[type=file]', file }),
  )
  progress.uploaded = true
}

async function haveSolved(
  job: JobAsked,
  progress: JobProgress,
  { port, requests }: JobTools,
  captcha: string,
): Promise<void> {
  progress.signal.throwIfAborted()
  const picture = await port.thumbnail()
  // It may have ended while it was drawn: nobody can help with it any more.
  port.require()
  const asked = {
    reason: `there is a captcha (${captcha})`,
    instruction: 'Solve the captcha, then give control back.',
    ...{ pageUrl: port.url(), picture, timeMs: captchaMs, runId: null, jobId: job.id },
  }
  const outcome = await requests.ask(asked, progress.signal, 'the job was cancelled')
  if (outcome.kind !== 'handed_back' || outcome.outcome !== 'resolved')
    throw new Problem('engine-failed', `The captcha was not solved: ${outcome.kind.replace('_', ' ')}.`)
  const after = await port.facts()
  if (after.form.captcha !== null) throw new Problem('engine-failed', 'The captcha is still there after the hand-back.')
  progress.solvedBy = outcome.operator
}

/** To the next page of a form that has several, with what this page wants done first. */
async function goOn(job: JobAsked, progress: JobProgress, tools: JobTools, form: FormFacts): Promise<void> {
  if (job.resume !== undefined && !progress.uploaded && hasFileField(form)) await putResume(job, progress, tools)
  if (form.captcha !== null) await haveSolved(job, progress, tools, form.captcha)
  await act(tools.runner, job, progress, 'Click the button that goes on to the next page of the form')
  const before = form.page?.page ?? 0
  const deadline = performance.now() + turnMs
  for (;;) {
    const page = (await tools.port.facts().catch(() => undefined))?.form.page ?? null
    if (page !== null && page.page > before) return
    if (performance.now() > deadline)
      throw new Problem('engine-failed', `The form stayed on page ${before} of ${form.page?.of ?? before}.`)
    await sleep(lookMs, undefined, { signal: progress.signal })
  }
}

function isLast({ page }: FormFacts): boolean {
  return page === null || page.page >= page.of
}

function hasFileField({ fields }: FormFacts): boolean {
  return fields.some(({ type }) => type === 'file')
}

function fieldOf({ fields }: FormFacts, name: string): FormField | undefined {
  return fields.find((one) => same(one.label, name) || same(one.name, name))
}

async function act(runner: EngineRunner, job: JobAsked, progress: JobProgress, instruction: string): Promise<void> {
  progress.signal.throwIfAborted()
  await runner.run({ instruction, kind: 'act', platform: progress.platform, cascade: true, jobId: job.id })
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

function mayAct(leases: LeaseService): void {
  const lease = leases.standing
  if (lease !== null) throw new Problem('held-by-operator', `${lease.operator} has control of the browser.`)
}
