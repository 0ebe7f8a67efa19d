import { Problem } from '../../shared/errors.ts'
import type { Handlers } from '../server/handlers.ts'
import { click, hover, scroll, select, upload } from './act.ts'
import type { PageCalls } from './page-calls.ts'
import { checkPauses, type } from './typing.ts'
import { uploadPath } from './upload-path.ts'

type Acting = 'click' | 'type' | 'select' | 'hover' | 'scroll' | 'upload' | 'dialog'

/** Acting on the page; files are uploaded from one folder only. */
export function actingRoutes(calls: PageCalls, uploadDir: string): Pick<Handlers, `browser.${Acting}`> {
  return {
    'browser.click': (params, context) =>
      calls.act(params, context, params.timeout, (page, op, may) => click(page, op, may, params)),
    'browser.type': (params, context) => {
      checkPauses(params)
      return calls.act(params, context, params.timeout, (page, op, may) => type(page, op, may, params))
    },
    'browser.select': (params, context) =>
      calls.act(params, context, params.timeout, (page, op, may) => select(page, op, may, params)),
    'browser.hover': (params, context) =>
      calls.act(params, context, params.timeout, (page, op, may) => hover(page, op, may, params.selector)),
    'browser.scroll': (params, context) =>
      calls.act(params, context, params.timeout, (page, op, may) => scroll(page, op, may, params)),
    'browser.upload': ({ selector, ...params }, context) => {
      calls.open()
      calls.guard(params.leaseId)
      const file = uploadPath(uploadDir, params.path)
      return calls.act(params, context, params.timeout, (page, op, may) => upload(page, op, may, { selector, file }))
    },
    'browser.dialog': async ({ accept, text, leaseId }) => {
      const pages = calls.open()
      calls.guard(leaseId)
      const page = [pages.front, ...pages.list()].find((one) => one !== null && one.dialog !== null)
      if (page === undefined || page === null)
        throw new Problem('not-found', 'No dialog is open: there is nothing to answer. Go on with the page.')
      const answer = { accept, ...(text === undefined ? {} : { promptText: text }) }
      await page.cdp.send('Page.handleJavaScriptDialog', answer)
      return { ok: true }
    },
  }
}
