import { setTimeout as sleep } from 'node:timers/promises'
import type { Display } from '../display/display.ts'
import { connectVnc } from '../display/vnc-connect.ts'
import { XConnection } from '../display/x11.ts'
import type { CdpConnection } from './cdp.ts'

/** How often the parts are asked whether they are alive, and how long each may take to say so. */
const everyMs = 5000
const limitMs = 10_000

/** A frozen program does not exit: it has to be asked. Never settles while all is well. */
export async function heartbeat(cdp: CdpConnection, display: Display | null, ended: AbortSignal): Promise<string> {
  const forever = new Promise<never>(() => {})
  try {
    for (;;) {
      await sleep(everyMs, undefined, { signal: ended, ref: false })
      await cdp.send('Browser.getVersion', {}, { timeoutMs: limitMs })
      if (display === null) continue
      ;(await connectVnc(display.vnc, limitMs)).destroy()
      // A VNC server of its own goes on talking while the X server behind it is frozen.
      ;(await XConnection.open(display.env, limitMs)).close()
    }
  } catch (error) {
    return ended.aborted ? forever : `A part of the browser does not answer any more: ${(error as Error).message}`
  }
}
