import { until } from '../../e2e/rigs/until.ts'
import type { Situation, World } from './situation.ts'

/** Calls that read the page in front, and calls that act on it. */
const reading = {
  'browser.screenshot': {},
  'browser.pdf': {},
  'browser.content': {},
  'browser.markdown': {},
  'browser.scrape': { selectors: { all: 'body' } },
  'browser.links': {},
  'browser.snapshot': {},
} satisfies Situation['calls']
const actingOn = (selector: string, timeout = 300) =>
  ({
    'browser.click': { selector, timeout },
    'browser.type': { selector, text: 'x', timeout },
    'browser.select': { selector, value: 'x', timeout },
    'browser.hover': { selector, timeout },
    'browser.scroll': { selector, timeout },
    'browser.upload': { selector, path: 'cv.txt', timeout },
  }) satisfies Situation['calls']
const going = {
  'browser.navigate': { url: 'about:blank' },
  'browser.back': {},
  'browser.forward': {},
  'browser.reload': {},
} satisfies Situation['calls']

let pagesMade = 0
/** A page that is there once, and from then on never comes, or is cut off. */
const once = (then: 'never' | 'cut') => `/once?then=${then}&page=${pagesMade++}`
/** Goes there with as much time as that takes; whether the page comes again is what the call then sees. */
const prepared = async (world: World, then: 'never' | 'cut', go: () => Promise<unknown>) => {
  world.patience('usual')
  await go()
  if (then === 'never') world.patience('short')
  return {}
}
const returning = (world: World, then: 'never' | 'cut') =>
  prepared(world, then, async () => {
    await world.open(once(then))
    await world.open('/')
  })
const leading = (world: World, then: 'never' | 'cut') =>
  prepared(world, then, async () => {
    await world.open('/')
    await world.open(once(then))
    await world.call('browser.back')
  })
const again = (world: World, then: 'never' | 'cut') => prepared(world, then, () => world.open(once(then)))
const nowhere = 'file:///etc/passwd'

/** What pages do to the calls on them. */
export const pageSituations: readonly Situation[] = [
  {
    name: 'a person has control',
    code: 'held-by-operator',
    async arrange({ have, call }) {
      await have('headless')
      const { leaseId } = await call('takeover.take', { operator: 'Ann' })
      return () => call('takeover.handBack', { leaseId })
    },
    calls: {
      ...going,
      ...actingOn('body'),
      'browser.scrape': { url: 'about:blank', selectors: {} },
      'browser.execute': { expression: '1' },
      'browser.dialog': { accept: true },
      'tabs.open': {},
      'tabs.activate': async ({ front }) => ({ id: await front() }),
      'tabs.close': async ({ front }) => ({ id: await front() }),
      'cookies.set': { name: 'a', value: 'b', domain: 'a.example' },
      'cookies.delete': { name: 'a' },
      'desktop.mouse': { action: 'click', x: 1, y: 1 },
      'desktop.keyboard': { text: 'x' },
      'desktop.setClipboard': { text: 'x' },
      'engine.connect': { engine: 'stagehand' },
      'engine.switch': { to: 'magnitude' },
      'engine.run': { instruction: 'click' },
      'jobs.start': { url: 'about:blank' },
    },
  },
  {
    name: 'the address is none that a browser is sent to',
    code: 'invalid-url',
    arrange: ({ have }) => have('headless'),
    calls: {
      'browser.start': { url: nowhere },
      'browser.navigate': { url: nowhere },
      'tabs.open': { url: nowhere },
      'browser.scrape': { url: nowhere, selectors: {} },
      'browser.crawl': { url: nowhere },
      'cookies.list': { url: nowhere },
      'cookies.set': { name: 'a', value: 'b', url: nowhere },
      'jobs.start': { url: nowhere },
    },
  },
  {
    name: 'the selector is none',
    code: 'invalid-selector',
    arrange: ({ open }) => open('/form'),
    calls: {
      ...actingOn(':no('),
      'browser.wait': { selector: ':no(' },
      'browser.screenshot': { selector: ':no(' },
      'browser.content': { selector: ':no(' },
      'browser.scrape': { selectors: { a: ':no(' } },
    },
  },
  {
    name: 'what is meant is not there',
    code: 'not-found',
    arrange: ({ open }) => open('/form'),
    calls: {
      ...actingOn('#none'),
      'browser.screenshot': { selector: '#none' },
      'browser.content': { selector: '#none' },
      'browser.dialog': { accept: true },
      'tabs.activate': { id: 'none' },
      'tabs.close': { id: 'none' },
      'contexts.delete': { id: 'none' },
      'cdp.cut': { id: 'none' },
      'desktop.getRecording': { id: 'none' },
      'desktop.deleteRecording': { id: 'none' },
      'takeover.accept': { id: 'none', operator: 'Ann' },
      'takeover.decline': { id: 'none' },
      'takeover.handOn': { id: 'none', to: 'Ben' },
      'jobs.get': { id: 'none' },
      'jobs.start': { url: 'about:blank', resume: 'none.txt' },
    },
    sockets: { vnc: {}, cdpPage: { targetId: 'none' } },
  },
  {
    name: 'what is asked for is not allowed',
    code: 'forbidden',
    arrange: ({ open }) => open('/form'),
    calls: {
      'browser.upload': { selector: '#file', path: '../secret' },
      'jobs.start': { url: 'about:blank', resume: '../secret' },
    },
  },
  {
    name: 'the pattern cannot be used',
    code: 'invalid-pattern',
    arrange: ({ have }) => have('headless'),
    calls: { 'browser.network': { urlPattern: '(?=x)' } },
  },
  {
    name: 'the script throws',
    code: 'script-error',
    arrange: ({ open }) => open('/'),
    calls: { 'browser.execute': { expression: 'nothing.here' } },
  },
  {
    name: 'the values do not go together',
    code: 'invalid-params',
    arrange: ({ have }) => have('headless'),
    calls: {
      'cookies.set': { name: 'a;b', value: 'c', domain: 'a.example' },
      'browser.upload': { selector: 'p', path: null },
      'desktop.keyboard': {},
      'engine.setConfig': async ({ call }) => {
        const { cascade } = await call('engine.config')
        const [human, dom] = [cascade.levels.at(-1), cascade.levels[0]]
        if (human === undefined || dom === undefined) throw new Error('the cascade is empty')
        return { cascade: { ...cascade, levels: [human, dom] } }
      },
    },
  },
  {
    name: 'two crawls are running',
    code: 'too-many-requests',
    async arrange({ have, call, pages }) {
      await have('headless')
      const before = pages.asked.length
      const crawl = (name: string) => call('browser.crawl', { url: `${pages.origin}/never?${name}`, timeout: 1500 })
      const both = Promise.all([crawl('a'), crawl('b')])
      await until('both crawls', () => pages.asked.slice(before).filter((path) => path === '/never').length === 2)
      return () => both
    },
    calls: { 'browser.crawl': ({ pages }) => ({ url: `${pages.origin}/site/` }) },
  },
  {
    name: 'the page shows a dialog',
    code: 'conflict',
    async arrange({ open, call }) {
      await open('/dialogs')
      await call('browser.click', { selector: '#alert' })
      return () => call('browser.dialog', { accept: true })
    },
    calls: {
      ...going,
      ...reading,
      ...actingOn('#alert'),
      'browser.wait': { selector: '#alert' },
      'browser.execute': { expression: '1' },
    },
  },
  {
    name: 'a new page shows a dialog at once',
    code: 'conflict',
    async arrange({ have, call }) {
      await have('headless')
      return () => call('browser.dialog', { accept: true })
    },
    calls: { 'tabs.open': ({ pages }) => ({ url: `${pages.origin}/alerts-at-once` }) },
  },
  {
    name: 'the page is in an endless loop',
    code: 'timeout',
    async arrange({ open, call, patience }) {
      await open('/loop')
      // Not by executing something: that would end the loop when its time is up.
      const answers = async () => (await call('browser.wait', { selector: 'p', timeout: 500 })).found
      await until('the loop', async () => !(await answers()))
      patience('short')
    },
    calls: { ...reading, ...actingOn('p') },
    meanwhile: async () => {},
  },
  {
    name: 'the page does not come, or does not end',
    code: 'timeout',
    arrange: ({ have }) => have('headless'),
    calls: {
      'browser.navigate': ({ pages }) => ({ url: `${pages.origin}/never`, timeout: 300 }),
      'browser.back': (world) => returning(world, 'never'),
      'browser.forward': (world) => leading(world, 'never'),
      'browser.reload': (world) => again(world, 'never'),
      'tabs.open': ({ pages }) => ({ url: `${pages.origin}/never` }),
      'browser.execute': { expression: 'new Promise(() => {})', timeout: 300 },
    },
  },
  {
    name: 'the process of the page hangs',
    code: 'timeout',
    async arrange({ open, freezePages, patience }) {
      await open('/form')
      patience('short')
      return freezePages()
    },
    calls: { 'tabs.close': async ({ front }) => ({ id: await front() }) },
  },
  {
    name: 'the page cannot be loaded',
    code: 'cdp-error',
    arrange: ({ have }) => have('headless'),
    calls: {
      'browser.navigate': ({ pages }) => ({ url: pages.untrustedOrigin }),
      'tabs.open': ({ pages }) => ({ url: `${pages.origin}/cut` }),
      'browser.scrape': ({ pages }) => ({ url: `${pages.origin}/cut`, selectors: {} }),
      'browser.back': (world) => returning(world, 'cut'),
      'browser.forward': (world) => leading(world, 'cut'),
      'browser.reload': (world) => again(world, 'cut'),
    },
  },
  {
    name: 'the page crashed',
    code: 'cdp-error',
    async arrange({ open, crash }) {
      await open('/form')
      await crash()
    },
    calls: {
      ...reading,
      ...actingOn('#name'),
      'browser.wait': { selector: '#name' },
      'browser.execute': { expression: '1' },
    },
  },
  {
    name: 'the browser dies under the call',
    code: 'cdp-error',
    async arrange({ open, call, pages, front, signal }) {
      await open('/form')
      const first = await front()
      // A dialog in a tab behind, for the call that answers dialogs; the page in front has none.
      await call('tabs.open', { url: `${pages.origin}/alerts-at-once` }).catch(() => {})
      await call('tabs.activate', { id: first })
      await signal('SIGSTOP')
    },
    calls: {
      ...going,
      ...reading,
      ...actingOn('#name', 20_000),
      'browser.wait': { selector: '#name' },
      'browser.execute': { expression: '1' },
      'browser.dialog': { accept: true },
      'browser.crawl': ({ pages }) => ({ url: `${pages.origin}/site/` }),
      'tabs.open': {},
      'tabs.activate': async ({ front }) => ({ id: await front() }),
      'tabs.close': async ({ front }) => ({ id: await front() }),
      'cookies.list': {},
      'cookies.set': { name: 'a', value: 'b', domain: 'a.example' },
      'cookies.delete': { name: 'a' },
      'cdp.version': {},
      'cdp.list': {},
    },
    sockets: { cdp: {}, cdpPage: async ({ front }) => ({ targetId: await front(), role: 'observer' }) },
    meanwhile: ({ signal }) => signal('SIGKILL'),
  },
]
