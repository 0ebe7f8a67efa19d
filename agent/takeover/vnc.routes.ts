import { Problem } from '../../shared/errors.ts'
import type { Screens } from '../desktop/screens.ts'
import { connectVnc } from '../display/vnc-connect.ts'
import type { SocketHandler } from '../server/handlers.ts'
import type { LeaseService } from './lease.service.ts'
import type { Viewers } from './viewers.ts'
import { VncRelay } from './vnc-relay.ts'

/** `/ws/vnc`: the live view. A controller whose lease ends goes on watching; its input no longer passes. */
export function vncSocket(screens: Screens, leases: LeaseService, viewers: Viewers): SocketHandler<'vnc'> {
  return async (params, context) => {
    const screen = screens.look()
    if (screen === null) {
      throw new Problem('not-found', 'This browser has no display. Use the screencast of /v1/browser/watch.')
    }
    const { display } = screen
    const wantsControl = params.mode === 'control'
    if (wantsControl && !leases.isHeldBy(params.leaseId)) {
      throw new Problem('lease-gone', 'Control needs the lease that is in force. Take it with POST /takeover/lease.')
    }
    const server = await connectVnc(display.vnc).catch((error: Error) => {
      throw new Problem('not-active', `The live view cannot be reached: ${error.message}. Stop and start the browser.`)
    })
    // A client that left before the upgrade must not leave its connection behind.
    const abandon = () => server.destroy()
    context.signal.addEventListener('abort', abandon, { once: true })
    if (context.signal.aborted) abandon()
    return (socket) => {
      context.signal.removeEventListener('abort', abandon)
      const seat = viewers.join(context.operator, wantsControl)
      const cleanups = [seat.leave]
      /** What it acts under; undefined while it only looks. */
      let leaseId = wantsControl ? params.leaseId : undefined
      const relay = new VncRelay(socket, server, {
        clipboard: params.clipboard,
        resizable: display.resizable,
        letters: display.letters,
        keepsSize: () => screens.keepsSize,
        mayControl: () => leaseId !== undefined && leases.isHeldBy(leaseId),
        onDesktopSize: (width, height) => screen.resized(width, height),
        onClosed: () => {
          for (const cleanup of cleanups) cleanup()
        },
      })
      // Without a new connection, which would take several round trips and a whole picture.
      socket.onMessage = (asked) => {
        leaseId = asked.mode === 'control' && leases.isHeldBy(asked.leaseId) ? asked.leaseId : undefined
        if (leaseId === undefined) relay.releaseInput()
        seat.asks(leaseId !== undefined)
        socket.send({ type: 'mode', mode: leaseId === undefined ? 'view' : 'control' })
      }
      cleanups.push(leases.onEnd(() => relay.releaseInput()))
      cleanups.push(screens.onEnd(() => relay.close(1001, 'the browser ended')))
    }
  }
}
