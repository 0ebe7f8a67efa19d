import type { CallParams, CallResult } from '../../../shared/contract/index.ts'
import { call, callAgent } from '../../app/bridge.ts'
import { openStream } from '../../app/streams.ts'
import { CdpLink } from '../inspector/cdp.ts'
import { openScreencast } from './screencast.ts'
import type { LiveSource } from './source.ts'
import { textLine } from './textLine.ts'
import { openVnc } from './vnc.ts'

export type PageCall =
  | `browser.${'navigate' | 'back' | 'forward' | 'reload' | 'dialog' | 'upload' | 'uploads'}`
  | `tabs.${'list' | 'open' | 'activate' | 'close'}`
  | `desktop.${'startRecording' | 'stopRecording' | 'listRecordings'}`

/** What a person says when giving control back. */
export interface Given {
  outcome: string
  note: string
  handBackTo: 'none' | 'stagehand' | 'magnitude'
  mode?: 'dom' | 'cua'
}

/** Everything the live view asks of the machine it shows. */
export interface LiveClient extends LiveSource {
  readonly machineId: string
  /** Takes control, in answer to this request for a person where there is one. */
  take(requestId: string | null): Promise<void>
  giveBack(given: Given): Promise<{ toActingMs: number | null }>
  /** Says that the person is still at work, so that the lease goes on; `said` when they said so themselves. */
  stillHere(said: boolean): Promise<void>
  /** This computer's clipboard onto the machine's, or to the cursor of its page; says how many characters. */
  paste(of: 'display' | 'page'): Promise<number>
  /** The machine's clipboard, or what is selected on its page, onto this computer's. */
  copy(of: 'display' | 'page'): Promise<number>
  /** Returns the file; null when the person changed their mind. */
  saveScreenshot(of: 'display' | 'page'): Promise<string | null>
  /** Navigation, tabs and recording; what changes the page needs control. */
  page<Name extends PageCall>(name: Name, params: CallParams<Name>): Promise<CallResult<Name>>
  /** Gives up what the tab in front is loading; needs control. */
  stopLoading(): Promise<void>
  startBrowser(): Promise<void>
  verify(): Promise<void>
  /** How long a small question takes there and back, in ms. */
  roundTrip(): Promise<number>
  /** A whole picture is on screen. */
  pictureShown(): Promise<void>
}

/** The live view's client over main. Leases stay there: this window never sees an id. */
export function ipcLiveClient(machineId: string): LiveClient {
  return {
    machineId,
    open: ({ view, mode }, { quality }) =>
      view === 'vnc'
        ? openStream(machineId, 'vnc', { mode })
        : // Main adds the lease when this console holds it; without one the agent drops what is typed.
          openStream(machineId, 'watch', { screencast: true, events: false, quality: quality.jpeg }),
    draw: (target, stream, { view, mode }, look, events) => {
      const control = mode === 'control'
      if (view !== 'vnc') return openScreencast(target, stream, control, look, events)
      const typed = () => textLine(() => openStream(machineId, 'watch', { screencast: false, events: false }))
      return openVnc(target, stream, control, look, events, typed)
    },
    take: async (requestId) => {
      if (requestId === null) await call('takeover.take', { machineId, reason: '' })
      else await call('takeover.accept', { machineId, requestId })
    },
    giveBack: (given) => call('takeover.giveBack', { machineId, ...given }),
    stillHere: async (said) => {
      await call('takeover.stillHere', { machineId, said })
    },
    paste: async (of) => (await call('live.paste', { machineId, of })).characters,
    copy: async (of) => (await call('live.copy', { machineId, of })).characters,
    saveScreenshot: async (of) => (await call('live.saveScreenshot', { machineId, of })).file,
    page: (name, params) => callAgent(machineId, name, params),
    stopLoading: async () => {
      const { tabs } = await callAgent(machineId, 'tabs.list', {})
      const front = tabs.find(({ active }) => active)
      if (front === undefined) return
      const link = new CdpLink(await openStream(machineId, 'cdpPage', { targetId: front.id, role: 'controller' }))
      await link.send('Page.stopLoading').finally(() => link.close('done'))
    },
    startBrowser: async () => {
      await callAgent(machineId, 'browser.start', {})
    },
    verify: async () => {
      await call('fleet.verify', { machineId })
    },
    roundTrip: async () => {
      const asked = performance.now()
      await callAgent(machineId, 'takeover.get', {})
      return performance.now() - asked
    },
    pictureShown: async () => {
      await call('app.livePictureShown', { machineId })
    },
  }
}
