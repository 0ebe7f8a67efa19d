import { sendPageEvents } from '../pages/watch-events.ts'
import type { SocketHandler } from '../server/handlers.ts'
import type { LeaseService } from '../takeover/lease.service.ts'
import type { Viewers } from '../takeover/viewers.ts'
import type { BrowserService } from './browser.service.ts'
import { PageWatcher } from './screencast.ts'

/** `/v1/browser/watch`: what happens on the pages, and the live view of a browser without a display. */
export function watchSocket(browser: BrowserService, leases: LeaseService, viewers: Viewers): SocketHandler<'watch'> {
  return (params, context) => {
    const session = browser.requireSession()
    return (socket) => {
      const mayControl = () => leases.isHeldBy(params.leaseId)
      const watcher = new PageWatcher(session, socket, { ...params, mayControl })
      const cleanups = [
        leases.onEnd(() => watcher.controlChanged()),
        browser.onEnd(() => socket.close(1001, 'the browser ended')),
        params.screencast ? viewers.join(context.operator, params.leaseId !== undefined).leave : () => {},
        params.events ? sendPageEvents(session.pages, socket) : () => {},
        () => watcher.stop(),
      ]
      socket.onClose = () => {
        for (const cleanup of cleanups.splice(0)) cleanup()
      }
    }
  }
}
