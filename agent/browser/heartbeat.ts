import { setTimeout as sleep } from 'node:timers/promises'
import type { Display } from '../display/display.ts'
import { connectVnc } from '../display/vnc-connect.ts'
import { XConnection } from '../display/x11.ts'
import type { CdpConnection } from './cdp.ts'

/** How often the parts are asked whether they are alive, and how long each may take to say so. */
export interface Pulse {
  everyMs: number
  limitMs: number
}
export const usualPulse: Pulse = { everyMs: 5000, limitMs: 10_000 }

/** A frozen program does not exit: it has to be asked. Never settles while all is well. */
export async function heartbeat(
  cdp: CdpConnection,
  display: Display | null,
  ended: AbortSignal,
  { everyMs, limitMs }: Pulse = usualPulse,
): Promise<string> {
  const forever = new Promise<never>(() => {})
  try {
    for (;;) {
      await sleep(everyMs, undefined, { signal: ended, ref: false })
      await cdp.send('Browser.getVersion', {}, { timeoutMs: limitMs })
      if (display === null) continue
      await vncAnswers(display, limitMs)
      // A VNC server of its own goes on talking while the X server behind it is frozen.
      ;(await XConnection.open(display.env, limitMs)).close()
    }
  } catch (error) {
    return ended.aborted ? forever : `A part of the browser does not answer any more: ${(error as Error).message}`
  }
}

/** A VNC server beside the display that does not answer is replaced; one that is the display is the browser's end. */
async function vncAnswers({ vnc, keptVnc }: Display, limitMs: number): Promise<void> {
  await keptVnc?.ready
  try {
    ;(await connectVnc(vnc, limitMs)).destroy()
  } catch (error) {
    if (keptVnc === null) throw error
    await keptVnc.replace()
  }
}
