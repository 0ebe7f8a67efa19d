import type { BrowserService } from '../browser/browser.service.ts'
import type { PageCalls } from '../pages/page-calls.ts'
import type { Handlers } from '../server/handlers.ts'
import { Contexts } from './contexts.service.ts'
import { deleteCookies, listCookies, setCookie } from './cookies.ts'

type ContextCall = `contexts.${'list' | 'create' | 'delete'}` | `cookies.${'list' | 'set' | 'delete'}`

export function contextsRoutes(
  browser: BrowserService,
  calls: PageCalls,
  dataDir: string,
): Pick<Handlers, ContextCall> {
  const contexts = new Contexts(dataDir, () => browser.contextInUse)
  return {
    'contexts.list': async () => ({ contexts: await contexts.list() }),
    'contexts.create': (params) => contexts.create(params.name),
    'contexts.delete': async ({ id }) => {
      await contexts.delete(id)
      return { ok: true }
    },
    'cookies.list': async ({ url }) => ({ cookies: await listCookies(calls.open(), url) }),
    'cookies.set': async (params) => {
      const pages = calls.open()
      calls.guard(params.leaseId)
      await setCookie(pages, params)
      return { ok: true }
    },
    'cookies.delete': async (params, context) => {
      const pages = calls.open()
      calls.guard(params.leaseId)
      context.note({ deleted: await deleteCookies(pages, params) })
      return { ok: true }
    },
  }
}
