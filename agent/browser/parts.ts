import path from 'node:path'
import { createCdpParts } from '../cdp/cdp.routes.ts'
import type { CdpClients } from '../cdp/clients.ts'
import { contextsRoutes } from '../contexts/contexts.routes.ts'
import { DesktopMode } from '../desktop/desktop-mode.ts'
import { Screens } from '../desktop/screens.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import type { PageLimits } from '../pages/limits.ts'
import { PageCalls } from '../pages/page-calls.ts'
import { pagesRoutes } from '../pages/pages.routes.ts'
import { reapLeftovers } from '../processes/record.ts'
import type { Handlers, SocketHandlers } from '../server/handlers.ts'
import { LeaseService, type SystemAudit } from '../takeover/lease.service.ts'
import { Viewers } from '../takeover/viewers.ts'
import { vncSocket } from '../takeover/vnc.routes.ts'
import { browserRoutes } from './browser.routes.ts'
import { BrowserService, type BrowserServiceOptions } from './browser.service.ts'
import { watchSocket } from './watch.routes.ts'

export interface BrowserPartsOptions {
  dataDir: string
  /** Where files for uploads are; a folder of the data unless told otherwise. */
  uploadDir?: string
  publish: Publish
  audit: SystemAudit
  log: Log
  restart?: BrowserServiceOptions['restart']
  existingDisplay?: BrowserServiceOptions['existingDisplay']
  adspower?: BrowserServiceOptions['adspower']
  pulse?: BrowserServiceOptions['pulse']
  pageLimits?: PageLimits | undefined
}

export interface BrowserParts {
  browser: BrowserService
  /** The same display without a browser. */
  desktop: DesktopMode
  screens: Screens
  leases: LeaseService
  viewers: Viewers
  /** Who is connected to the browser; an engine takes its place there as well. */
  cdpClients: CdpClients
  handlers: Pick<
    Handlers,
    'browser.start' | 'browser.stop' | 'browser.status' | 'cdp.version' | 'cdp.list' | 'cdp.clients' | 'cdp.cut'
  > &
    ReturnType<typeof pagesRoutes> &
    ReturnType<typeof contextsRoutes>
  sockets: Pick<SocketHandlers, 'vnc' | 'watch' | 'cdp' | 'cdpPage'>
  /** Ends the browser and its lease; for when the agent stops. */
  close(): Promise<void>
}

/** The browser, its live view and its lease, wired together; first ends what a killed agent left running. */
export function createBrowserParts(options: BrowserPartsOptions): BrowserParts {
  const ended = reapLeftovers(options.dataDir)
  if (ended.length > 0) options.log('warn', 'ended what an earlier agent left running', { programs: ended })
  const browser: BrowserService = new BrowserService({ ...options, desktopRuns: () => desktop.runs })
  const desktop = new DesktopMode({ ...options, browserRuns: () => browser.runs })
  const screens = new Screens(browser, desktop)
  const viewers = new Viewers(options.publish)
  const leases = new LeaseService({
    ...options,
    requireBrowser: () => screens.requireAny(),
    untilDialog: (over) => browser.session?.pages.untilDialog(over) ?? new Promise(() => {}),
  })
  screens.onEnd((reason) => leases.browserEnded(reason))
  const cdp = createCdpParts(browser, leases)
  const { dataDir, uploadDir = path.join(dataDir, 'uploads') } = options
  const pages = new PageCalls(browser, leases)
  return {
    browser,
    desktop,
    screens,
    leases,
    viewers,
    cdpClients: cdp.clients,
    handlers: {
      ...browserRoutes(browser),
      ...cdp.handlers,
      ...pagesRoutes(pages, uploadDir, options.pageLimits),
      ...contextsRoutes(browser, pages, dataDir),
    },
    sockets: {
      vnc: vncSocket(screens, leases, viewers),
      watch: watchSocket(browser, leases, viewers),
      ...cdp.sockets,
    },
    async close() {
      await Promise.all([browser.stop('the agent is stopping'), desktop.stop('the agent is stopping')])
      leases.close()
    },
  }
}
