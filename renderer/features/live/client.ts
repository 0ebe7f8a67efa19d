import { call, callAgent } from '../../app/bridge.ts'
import { openStream } from '../../app/streams.ts'
import { openScreencast } from './screencast.ts'
import type { LiveSource } from './session.ts'
import { openVnc } from './vnc.ts'

/** Everything the live view asks of the machine it shows. */
export interface LiveClient extends LiveSource {
  take(): Promise<void>
  giveBack(outcome: string, note: string): Promise<void>
  /** Says that the person is still at work, so that the lease goes on. */
  stillHere(): Promise<void>
  startBrowser(): Promise<void>
  verify(): Promise<void>
  /** A whole picture is on screen. */
  pictureShown(): Promise<void>
}

/** The live view's client over main. Leases stay there: this window never sees an id. */
export function ipcLiveClient(machineId: string): LiveClient {
  return {
    open: ({ view, mode }) =>
      view === 'vnc'
        ? openStream(machineId, 'vnc', { mode })
        : // Main adds the lease when this console holds it; without one the agent drops what is typed.
          openStream(machineId, 'watch', { screencast: true }),
    draw: (target, stream, { view, mode }, events) =>
      (view === 'vnc' ? openVnc : openScreencast)(target, stream, mode === 'control', events),
    take: async () => {
      await call('takeover.take', { machineId, reason: '' })
    },
    giveBack: async (outcome, note) => {
      await call('takeover.giveBack', { machineId, outcome, note })
    },
    stillHere: async () => {
      await call('takeover.stillHere', { machineId })
    },
    startBrowser: async () => {
      await callAgent(machineId, 'browser.start', {})
    },
    verify: async () => {
      await call('fleet.verify', { machineId })
    },
    pictureShown: async () => {
      await call('app.livePictureShown', { machineId })
    },
  }
}
