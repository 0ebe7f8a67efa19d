import { Problem } from '../../shared/errors.ts'
import type { Handlers } from '../server/handlers.ts'
import { answerChooser, click, hover, scroll, select, upload } from './act.ts'
import type { PageCalls } from './page-calls.ts'
import { checkPauses, type } from './typing.ts'
import { uploadFiles, uploadPath } from './upload-path.ts'

type Acting = 'click' | 'type' | 'select' | 'hover' | 'scroll' | 'upload' | 'uploads' | 'dialog'

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
      const file = params.path === null ? null : uploadPath(uploadDir, params.path)
      if (selector !== undefined && file === null)
        throw new Problem(
          'invalid-params',
          'A field that was not clicked has nothing to cancel. Give the path of a file.',
        )
      return calls.act(params, context, params.timeout, (page, op, may) =>
        selector === undefined || file === null
          ? answerChooser(calls.open().choosers, page, op, may, file)
          : upload(page, op, may, { selector, file }),
      )
    },
    'browser.uploads': () => uploadFiles(uploadDir),
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
