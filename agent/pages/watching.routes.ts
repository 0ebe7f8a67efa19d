import { Problem } from '../../shared/errors.ts'
import { checkAddress } from '../browser/address.ts'
import type { Handlers } from '../server/handlers.ts'
import { crawl } from './crawl.ts'
import type { PageCalls } from './page-calls.ts'
import { matching } from './url-pattern.ts'

/** Each crawl is a tab that loads page after page: more at once would starve the page in front. */
const maxCrawls = 2

/** What the pages said and fetched, and the crawl. */
export function watchingRoutes(calls: PageCalls): Pick<Handlers, `browser.${'console' | 'network' | 'crawl'}`> {
  let crawls = 0
  return {
    'browser.console': ({ level, limit }) => {
      const messages = calls.open().console.list()
      return { messages: messages.filter((message) => level === undefined || message.level === level).slice(-limit) }
    },
    'browser.network': async ({ urlPattern, limit }) => {
      const requests = calls.open().network.list()
      return { requests: (urlPattern === undefined ? requests : await matching(requests, urlPattern)).slice(-limit) }
    },
    'browser.crawl': async (params, context) => {
      const url = checkAddress(params.url)
      if (!/^https?:/.test(url))
        throw new Problem('invalid-url', 'A crawl begins at an http or https address. Give one.')
      const pages = calls.open()
      if (crawls >= maxCrawls) {
        throw new Problem('too-many-requests', 'Two crawls are running. Wait until one is done.', {
          retryAfterSeconds: 5,
        })
      }
      crawls++
      try {
        return await crawl(pages, { ...params, url }, context.signal)
      } finally {
        crawls--
      }
    },
  }
}
