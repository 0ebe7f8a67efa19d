import { cutHeader } from '../../shared/contract/define.ts'
import { checkAddress } from '../browser/address.ts'
import { type Handlers, Reply } from '../server/handlers.ts'
import { execute } from './execute.ts'
import type { PageLimits } from './limits.ts'
import { markdown } from './markdown.ts'
import { navigate, placeOf } from './navigation.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'
import type { PageCalls } from './page-calls.ts'
import { html, links, pdf, screenshot, texts } from './reading.ts'
import { snapshot } from './snapshot.ts'

type Reading = 'screenshot' | 'pdf' | 'content' | 'markdown' | 'scrape' | 'links' | 'execute' | 'snapshot'

/** Reading the page, and running an expression in it. */
export function readingRoutes(calls: PageCalls, limits: PageLimits): Pick<Handlers, `browser.${Reading}`> {
  return {
    'browser.screenshot': async (params, context) => {
      const { bytes, cutFrom } = await calls.read(context, limits.readMs, (page, op) => screenshot(page, op, params))
      const { width, height } = cutFrom ?? { width: 0, height: 0 }
      const headers = { [cutHeader]: `${Math.ceil(width)}x${Math.ceil(height)}` }
      return new Reply(`image/${params.format}`, bytes, cutFrom === null ? {} : { headers })
    },
    'browser.pdf': async (params, context) => {
      return new Reply('application/pdf', await calls.read(context, limits.longMs, (page, op) => pdf(page, op, params)))
    },
    'browser.content': ({ selector }, context) =>
      calls.read(context, limits.readMs, async (page, op) => {
        const text = await html(page, op, selector)
        return { html: text, ...(await placeOf(page, op)) }
      }),
    'browser.markdown': (_params, context) =>
      calls.read(context, limits.readMs, async (page, op) => {
        const converted = await markdown(page, op)
        return { ...converted, ...(await placeOf(page, op)) }
      }),
    'browser.scrape': (params, context) => {
      const scrape = async (page: Page, op: Operation) => {
        const data: [string, string[]][] = []
        for (const [name, selector] of Object.entries(params.selectors))
          data.push([name, await texts(page, op, selector)])
        return { data: Object.fromEntries(data), ...(await placeOf(page, op)) }
      }
      if (params.url === undefined) return calls.read(context, limits.readMs, scrape)
      const url = checkAddress(params.url)
      return calls.go(params, context, limits.longMs, async (page, op, pages) => {
        await navigate(pages, page, op, url, 'load')
        return scrape(page, op)
      })
    },
    'browser.links': (_params, context) =>
      calls.read(context, limits.readMs, async (page, op) => {
        const found = await links(page, op)
        return { links: found, url: (await placeOf(page, op)).url }
      }),
    'browser.execute': (params, context) => {
      const run = { expression: params.expression, awaitPromise: params.awaitPromise }
      return calls.change(params, context, params.timeout, (page, op) => execute(page, op, run))
    },
    'browser.snapshot': (_params, context) =>
      calls.read(context, limits.readMs, async (page, op) => {
        const text = await snapshot(page, op)
        return { snapshot: text, ...(await placeOf(page, op)) }
      }),
  }
}
