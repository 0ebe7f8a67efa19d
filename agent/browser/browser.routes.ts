import type { BrowserStatus } from '../../shared/contract/browser.ts'
import { relayUrl } from '../cdp/relay-url.ts'
import type { CallContext, Handlers } from '../server/handlers.ts'
import type { BrowserService } from './browser.service.ts'

export function browserRoutes(
  browser: BrowserService,
): Pick<Handlers, 'browser.start' | 'browser.stop' | 'browser.status'> {
  return {
    'browser.start': async (params, context) => {
      const { url: _url, ...noted } = params
      context.note(noted)
      return throughRelay(await browser.start(params), context)
    },
    'browser.stop': async () => {
      await browser.stop()
      return { state: 'inactive' }
    },
    'browser.status': async (_params, context) => throughRelay(await browser.status(), context),
  }
}

/** Chromium's own port is not given out: whoever used it would act past the lease. */
function throughRelay(status: BrowserStatus, context: CallContext): BrowserStatus {
  return { ...status, cdpUrl: status.cdpUrl === null ? null : relayUrl(context) }
}
