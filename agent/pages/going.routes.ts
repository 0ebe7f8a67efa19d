import { Problem } from '../../shared/errors.ts'
import { checkAddress } from '../browser/address.ts'
import type { Handlers } from '../server/handlers.ts'
import { elementIs } from './elements.ts'
import { closeTab } from './leaving.ts'
import type { PageLimits } from './limits.ts'
import { navigate, reload, travel } from './navigation.ts'
import type { Page } from './page.ts'
import { oneLookMs, type PageCalls } from './page-calls.ts'
import { forgetBlank } from './start-page.ts'

type Going = `browser.${'navigate' | 'back' | 'forward' | 'reload' | 'wait'}`
type Tabs = `tabs.${'list' | 'open' | 'activate' | 'close'}`

/** Navigation and tabs. */
export function goingRoutes(calls: PageCalls, limits: PageLimits): Pick<Handlers, Going | Tabs> {
  return {
    'browser.navigate': (params, context) => {
      const url = checkAddress(params.url)
      const { timeout, waitUntil } = params
      return calls.go(params, context, timeout, (page, op, pages) => navigate(pages, page, op, url, waitUntil))
    },
    'browser.back': (params, context) =>
      calls.go(params, context, limits.loadMs, (page, op, pages) => travel(pages, page, op, -1)),
    'browser.forward': (params, context) =>
      calls.go(params, context, limits.loadMs, (page, op, pages) => travel(pages, page, op, 1)),
    'browser.reload': (params, context) =>
      calls.go(params, context, limits.loadMs, (page, op, pages) => reload(pages, page, op, params.ignoreCache)),
    'browser.wait': async ({ selector, state, timeout }, context) => {
      const late = new Problem('timeout', 'The element was not so in time.')
      try {
        return await calls.read(context, Math.max(timeout, oneLookMs), async (page, op) => {
          op.waitingFor(() => late)
          return { found: await elementIs(page, op, selector, state) }
        })
      } catch (error) {
        if (error === late) return { found: false }
        throw error
      }
    },
    'tabs.list': () => {
      const pages = calls.open()
      const told = (page: Page) => (page.dialog === null ? {} : { dialog: page.dialog })
      return { tabs: pages.list().map((page) => ({ ...tabOf(page), active: page === pages.front, ...told(page) })) }
    },
    'tabs.open': async (params, context) => {
      const url = params.url === undefined ? undefined : checkAddress(params.url)
      const pages = calls.open()
      calls.guard(params.leaseId)
      const page = await pages.openTab(false)
      if (url === undefined) return tabOf(page)
      const place = await calls.goIn(page, params, context, limits.loadMs, (_page, op) =>
        navigate(pages, page, op, url, 'load'),
      )
      await forgetBlank(page)
      return { id: page.id, url: place.url, title: place.title }
    },
    'tabs.activate': async (params) => {
      const pages = calls.open()
      const page = pages.require(params.id)
      calls.guard(params.leaseId)
      await pages.activate(page)
      return tabOf(page)
    },
    'tabs.close': async (params) => {
      const pages = calls.open()
      const page = pages.require(params.id)
      calls.guard(params.leaseId)
      await closeTab(pages, page, limits.closeMs)
      return { ok: true }
    },
  }
}

function tabOf(page: Page): { id: string; url: string; title: string } {
  return { id: page.id, url: page.url, title: page.title }
}
