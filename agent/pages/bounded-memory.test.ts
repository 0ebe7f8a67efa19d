import { expect, test } from 'vitest'
import { heapMegabytes, megabyte } from '../../e2e/rigs/heap.ts'
import type { CdpConnection, CdpParams, CdpSession } from '../browser/cdp.ts'
import { ConsoleLog } from './console-log.ts'
import { Downloads } from './downloads.ts'
import { NetworkLog } from './network-log.ts'
import { Page } from './page.ts'
import { PageEvents } from './page-events.ts'

/** A browser whose messages are made up; like those of a real one, each has just been parsed. */
function madeUp() {
  const handlers: Record<string, (params: CdpParams) => void> = {}
  const on = (method: string, handler: (params: CdpParams) => void) => {
    handlers[method] = handler
    return () => {}
  }
  const tell = (method: string, params: unknown) => handlers[method]?.(JSON.parse(JSON.stringify(params)) as CdpParams)
  return { cdp: { on, id: 's', send: async () => ({}) } as unknown as CdpSession & CdpConnection, tell }
}

const long = `https://page.example/${'é'.repeat(megabyte / 2)}`
const cases: [string, (browser: ReturnType<typeof madeUp>) => [kept: unknown, (index: number) => void]][] = [
  [
    'console messages',
    ({ cdp, tell }) => {
      const log = new ConsoleLog(() => {})
      log.follow(cdp)
      const args = [{ type: 'string', value: long }]
      const stackTrace = { callFrames: [{ url: long, lineNumber: 1 }] }
      return [log, () => tell('Runtime.consoleAPICalled', { type: 'log', args, stackTrace, timestamp: 1 })]
    },
  ],
  [
    'requests',
    ({ cdp, tell }) => {
      const log = new NetworkLog(() => {})
      log.follow(cdp, 'page')
      const about = (requestId: string) => ({ requestId, timestamp: 1, wallTime: 1 })
      return [
        log,
        (index) => {
          tell('Network.requestWillBeSent', { ...about(`r${index}`), request: { url: long, method: long } })
          tell('Network.responseReceived', { ...about(`r${index}`), response: { status: 200, mimeType: long } })
        },
      ]
    },
  ],
  [
    'downloads',
    ({ cdp, tell }) => [
      new Downloads(cdp, new PageEvents()),
      () => tell('Browser.downloadWillBegin', { guid: 'g', frameId: 'f', url: long, suggestedFilename: long }),
    ],
  ],
  [
    'dialogs',
    ({ cdp, tell }) => {
      const page = new Page({ targetId: 't', type: 'page', url: '', title: '' }, cdp)
      const seen: unknown[] = []
      page.onDialog((dialog) => seen.push(dialog))
      const dialog = { type: 'prompt', message: long, url: long, defaultPrompt: long }
      return [[page, seen], () => tell('Page.javascriptDialogOpening', dialog)]
    },
  ],
]

test.each(cases)('%s of any length cost no more than what is kept of them', (_name, open) => {
  const [kept, tell] = open(madeUp())
  tell(-1)
  const before = heapMegabytes()
  for (let index = 0; index < 20; index++) tell(index)
  expect(heapMegabytes() - before).toBeLessThan(4)
  expect(kept).toBeDefined()
})
