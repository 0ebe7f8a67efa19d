import type { PageState } from '../../shared/contract/engines.ts'
import type { PageMarks } from '../../shared/domain/platforms.ts'
import type { Session } from '../browser/session.ts'
import type { Page } from '../pages/page.ts'

/** A page that hangs is not waited for: its address is known without it. */
const readLimitMs = 2000
const world = 'pilothouse'

/** What a page is, read in the agent's own world, so that it works when the engine is broken and the page is hostile. */
export interface PageFacts extends PageMarks {
  title: string
  scroll: { x: number; y: number }
  focused: string | null
  form: FormFacts
  text: string
}

export interface FormFacts {
  fields: FormField[]
  page: { page: number; of: number } | null
  captcha: string | null
}

export interface FormField {
  label: string
  name: string
  type: string
  filled: boolean
  options: string[]
}

const readPage = `(() => {
  const short = (text) => String(text ?? '').replace(/\\s+/g, ' ').trim().slice(0, 200)
  const pathTo = (element) => {
    const parts = []
    for (let at = element; at && at.nodeType === 1 && parts.length < 20; at = at.parentElement) {
      if (at.id) { parts.unshift('#' + CSS.escape(at.id)); break }
      const same = at.parentElement ? [...at.parentElement.children].filter((one) => one.tagName === at.tagName) : [at]
      parts.unshift(at.tagName.toLowerCase() + (same.length > 1 ? ':nth-of-type(' + (same.indexOf(at) + 1) + ')' : ''))
    }
    return parts.join(' > ')
  }
  const active = document.activeElement
  const fields = [...document.querySelectorAll('input, select, textarea')]
    .filter((field) => !['hidden', 'submit', 'button', 'image', 'reset'].includes(field.type) && field.offsetParent !== null)
    .slice(0, 200)
  const marks = []
  for (const [selector, mark] of [
    ['[data-automation-id]', 'data-automation-id'], ['#grnhse_app', 'id=grnhse_app'], ['#application_form', 'id=application_form'],
    ['[data-greenhouse]', 'data-greenhouse'], ['[data-qa="btn-submit"]', 'data-qa=btn-submit'], ['.posting-apply', 'class=posting-apply'],
    ['[class*="jobs-easy-apply"]', 'class=jobs-easy-apply'], ['[data-easy-apply]', 'data-easy-apply'],
  ]) if (document.querySelector(selector)) marks.push(mark)
  const step = document.querySelector('[aria-current="step"], [data-step][data-steps]')
  const words = /(?:step|page)\\s+(\\d+)\\s+(?:of|\\/)\\s+(\\d+)/i.exec(document.body?.innerText ?? '')
  const steps = step?.dataset.steps ? { page: Number(step.dataset.step), of: Number(step.dataset.steps) }
    : words ? { page: Number(words[1]), of: Number(words[2]) } : null
  const captcha = document.querySelector('iframe[src*="recaptcha"], iframe[src*="hcaptcha"], iframe[src*="challenges.cloudflare"], .g-recaptcha, .h-captcha, .cf-turnstile, [data-captcha]:not([data-captcha="solved"])')
  return {
    url: location.href, title: document.title, scroll: { x: scrollX, y: scrollY },
    focused: active && active !== document.body && active !== document.documentElement ? pathTo(active) : null,
    sources: [...document.querySelectorAll('iframe[src], script[src], form[action]')].slice(0, 100).map((one) => one.src || one.action).map(String),
    marks,
    form: {
      fields: fields.map((field) => ({
        label: short(field.labels?.[0]?.innerText || field.getAttribute('aria-label') || field.placeholder), name: short(field.name || field.id),
        type: field.tagName === 'INPUT' ? field.type : field.tagName.toLowerCase(),
        filled: ['checkbox', 'radio'].includes(field.type) ? field.checked : field.value !== '',
        options: field.tagName === 'SELECT' ? [...field.options].slice(0, 100).map((one) => short(one.label)) : [],
      })),
      page: steps, captcha: captcha ? short(captcha.getAttribute('src') || captcha.className || 'data-captcha') : null,
    },
    text: short(document.title) + '\\n' + String(document.body?.innerText ?? '').slice(0, 20000),
  }
})()`

/** Reads the page in front; rejects when it does not answer. */
export async function readFacts(page: Page): Promise<PageFacts> {
  return (await inOwnWorld(page, readPage)) as PageFacts
}

/** Where things stand, for whoever comes next. Never fails: of a page that hangs the address is all there is. */
export async function capturePage(session: Session): Promise<PageState> {
  const tabs = session.pages.list().map(({ id, url, title }) => ({ id, url, title }))
  const { front } = session.pages
  const known = { url: front?.url ?? 'about:blank', title: front?.title ?? '', tabs, tabId: front?.id ?? null }
  try {
    if (front === null || front.dialog !== null) throw new Error('there is no page that could be asked')
    const { url, title, scroll, focused } = await readFacts(front)
    return { ...known, url, title, scroll, focused, complete: true }
  } catch {
    return { ...known, scroll: { x: 0, y: 0 }, focused: null, complete: false }
  }
}

/** Puts the page back where it was: goes there only if it is elsewhere, and scrolls. */
export async function resumePage(session: Session, before: PageState): Promise<void> {
  const page = before.tabId === null ? session.pages.front : session.pages.list().find(({ id }) => id === before.tabId)
  if (page === null || page === undefined) throw new Error('the tab is gone')
  if (page.url !== before.url && before.complete) await page.cdp.send('Page.navigate', { url: before.url }, readLimitMs)
  if (!before.complete) return
  const { x, y } = before.scroll
  await inOwnWorld(
    page,
    `scrollX === ${x} && scrollY === ${y} || scrollTo({ left: ${x}, top: ${y}, behavior: 'instant' })`,
  )
}

async function inOwnWorld(page: Page, expression: string): Promise<unknown> {
  const frame = page.frames.main
  if (frame === undefined || frame === null) throw new Error('the page has no frame yet')
  const made = await page.cdp.send('Page.createIsolatedWorld', { frameId: frame.id, worldName: world }, readLimitMs)
  const params = { expression, contextId: made['executionContextId'], returnByValue: true }
  const answer = await page.cdp.send('Runtime.evaluate', params, readLimitMs)
  if (answer['exceptionDetails'] !== undefined) throw new Error('the page could not be read')
  return (answer['result'] as { value?: unknown }).value
}
