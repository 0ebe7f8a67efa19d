import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../e2e/rigs/until.ts'
import { pathWithWindowManager } from '../../e2e/rigs/window-manager.ts'
import type { Situation, World } from './situation.ts'

/** A folder of programs that comes before all others. */
function program({ rig, setEnv }: World, name: string, script: string): void {
  const bin = path.join(rig.dataDir, `bin-${name}`)
  mkdirSync(bin, { recursive: true })
  writeFileSync(path.join(bin, name), script)
  chmodSync(path.join(bin, name), 0o755)
  setEnv('PATH', `${bin}:${process.env['PATH']}`)
}

const take = async ({ call }: World) => {
  const { leaseId } = await call('takeover.take', { operator: 'Ann' })
  return () => call('takeover.handBack', { leaseId })
}

/** The browser and the display as such: whether they are there, who has them, what is kept of them. */
export const browserSituations: readonly Situation[] = [
  {
    name: 'no browser runs',
    code: 'not-active',
    arrange: ({ have }) => have('none'),
    calls: {
      'browser.navigate': { url: 'about:blank' },
      'browser.back': {},
      'browser.forward': {},
      'browser.reload': {},
      'browser.wait': { selector: 'p' },
      'browser.screenshot': {},
      'browser.pdf': {},
      'browser.content': {},
      'browser.markdown': {},
      'browser.scrape': { selectors: {} },
      'browser.links': {},
      'browser.execute': { expression: '1' },
      'browser.snapshot': {},
      'browser.click': { selector: 'p' },
      'browser.type': { selector: 'p', text: 'x' },
      'browser.select': { selector: 'p', value: 'x' },
      'browser.hover': { selector: 'p' },
      'browser.scroll': {},
      'browser.upload': { selector: 'p', path: 'cv.txt' },
      'browser.dialog': { accept: true },
      'browser.console': {},
      'browser.network': {},
      'browser.crawl': { url: 'http://a.example' },
      'tabs.list': {},
      'tabs.open': {},
      'tabs.activate': { id: 'a' },
      'tabs.close': { id: 'a' },
      'cookies.list': {},
      'cookies.set': { name: 'a', value: 'b', domain: 'a.example' },
      'cookies.delete': { name: 'a' },
      'cdp.version': {},
      'cdp.list': {},
      'desktop.screenshot': {},
      'desktop.mouse': { action: 'click', x: 1, y: 1 },
      'desktop.keyboard': { text: 'x' },
      'desktop.getClipboard': {},
      'desktop.setClipboard': { text: 'x' },
      'desktop.startRecording': {},
      'takeover.take': { operator: 'Ann' },
      'engine.connect': { engine: 'stagehand' },
      'engine.switch': { to: 'stagehand' },
      'engine.run': { instruction: 'click' },
    },
    sockets: { vnc: {}, watch: {}, cdp: {}, cdpPage: { targetId: 'a' } },
  },
  {
    name: 'a program is not installed',
    code: 'install-required',
    async arrange({ have, setEnv, rig }) {
      await have('none')
      setEnv('PATH', path.join(rig.dataDir, 'nothing'))
    },
    calls: { 'browser.start': {}, 'desktop.start': {} },
  },
  {
    name: 'a program does not start',
    code: 'start-failed',
    async arrange(world) {
      await world.have('none')
      world.setEnv('PILOTHOUSE_CHROMIUM', '/bin/false')
      program(world, 'openbox', '#!/bin/sh\necho no such theme >&2\nexit 3\n')
      return () => world.call('desktop.stop')
    },
    calls: { 'browser.start': { headless: true }, 'desktop.start': {} },
  },
  {
    name: 'the desktop has the display',
    code: 'desktop-conflict',
    async arrange({ have, call, rig, setEnv }) {
      await have('none')
      setEnv('PATH', pathWithWindowManager(rig.dataDir))
      await call('desktop.start')
      return () => call('desktop.stop')
    },
    calls: { 'browser.start': {} },
  },
  {
    name: 'the desktop runs',
    code: 'already-active',
    async arrange({ have, call, rig, setEnv }) {
      await have('none')
      setEnv('PATH', pathWithWindowManager(rig.dataDir))
      await call('desktop.start')
      return () => call('desktop.stop')
    },
    calls: { 'desktop.start': {} },
  },
  {
    name: 'the browser runs',
    code: 'already-active',
    arrange: ({ have }) => have('display'),
    calls: { 'browser.start': {} },
  },
  {
    name: 'the browser has the display',
    code: 'desktop-conflict',
    arrange: ({ have }) => have('display'),
    calls: { 'desktop.start': {} },
  },
  {
    name: 'the context is used, or there is one of that name',
    code: 'conflict',
    arrange: ({ have }) => have('display'),
    calls: {
      'contexts.delete': { id: 'default' },
      'contexts.create': async ({ call }) => {
        await call('contexts.create', { name: 'twice' })
        return { name: 'twice' }
      },
    },
  },
  {
    name: 'the clipboard has more text than is read',
    code: 'conflict',
    async arrange({ have, call }) {
      await have('display')
      const field = "Object.assign(document.body.appendChild(document.createElement('textarea'))"
      await call('browser.execute', { expression: `${field}, { value: '漢'.repeat(1_500_000) }).select()` })
      for (const key of ['Control+a', 'Control+c']) await call('desktop.keyboard', { key })
      const isTooLong = () => call('desktop.getClipboard').then(() => false, Boolean)
      await until('it to be copied', isTooLong)
    },
    calls: { 'desktop.getClipboard': {} },
  },
  {
    name: 'nothing is recorded',
    code: 'conflict',
    arrange: ({ have }) => have('display'),
    calls: { 'desktop.stopRecording': {} },
  },
  {
    name: 'ffmpeg is not installed',
    code: 'install-required',
    async arrange({ have, setEnv, rig }) {
      await have('display')
      setEnv('PATH', path.join(rig.dataDir, 'nothing'))
    },
    calls: { 'desktop.startRecording': {} },
  },
  {
    name: 'a recording runs',
    code: 'conflict',
    async arrange({ have, call }) {
      await have('display')
      await call('desktop.startRecording', { fps: 5 })
      return () => call('desktop.stopRecording')
    },
    calls: {
      'desktop.startRecording': {},
      'desktop.deleteRecording': async ({ call }) => {
        const [running] = (await call('desktop.listRecordings')).recordings
        return { id: running?.id ?? '' }
      },
    },
  },
  {
    // The world's agent keeps one recording, and the last situation made it.
    name: 'there is no room for another recording',
    code: 'storage-full',
    arrange: ({ have }) => have('display'),
    calls: { 'desktop.startRecording': {} },
  },
  {
    name: 'someone else has control',
    code: 'lease-held',
    async arrange(world) {
      await world.have('display')
      // Whoever has control and was asked for nothing is asked by the next request: here it comes behind another.
      const first = await world.askForHelp()
      const giveBack = await take(world)
      await world.call('engine.release', { force: true })
      await first.ended()
      const { id, ended } = await world.askForHelp()
      world.openRequest = id
      return async () => {
        await world.call('takeover.decline', { id })
        await ended()
        await giveBack()
      }
    },
    calls: {
      'takeover.take': { operator: 'Ben' },
      'takeover.accept': ({ openRequest }) => ({ id: openRequest, operator: 'Ben' }),
    },
  },
  {
    name: 'the request is over',
    code: 'conflict',
    async arrange(world) {
      await world.have('display')
      const { id, ended } = await world.askForHelp()
      await world.call('takeover.decline', { id })
      await ended()
      world.openRequest = id
    },
    calls: {
      'takeover.accept': ({ openRequest }) => ({ id: openRequest, operator: 'Ben' }),
      'takeover.decline': ({ openRequest }) => ({ id: openRequest }),
      'takeover.handOn': ({ openRequest }) => ({ id: openRequest, to: 'Ben' }),
    },
  },
  {
    name: 'the lease has ended',
    code: 'lease-gone',
    arrange: ({ have }) => have('display'),
    calls: { 'takeover.renew': { leaseId: 'gone' }, 'takeover.handBack': { leaseId: 'gone' } },
    sockets: {
      vnc: { mode: 'control', leaseId: 'gone' },
      cdp: { leaseId: 'gone' },
      cdpPage: async ({ front }) => ({ targetId: await front(), leaseId: 'gone' }),
    },
  },
  {
    name: 'a program controls the browser',
    code: 'controller-busy',
    async arrange({ have, control }) {
      await have('display')
      return control('controller')
    },
    calls: {
      'engine.connect': { engine: 'stagehand' },
      'engine.switch': { to: 'magnitude' },
      'engine.run': { instruction: 'click' },
      'takeover.handBack': async ({ call }) => {
        const { leaseId } = await call('takeover.take', { operator: 'Ann' })
        return { leaseId, handBackTo: 'stagehand' }
      },
    },
    sockets: { cdp: {}, cdpPage: async ({ front }) => ({ targetId: await front() }) },
  },
  {
    name: 'as many look as may',
    code: 'too-many-requests',
    async arrange({ have, control }) {
      await have('display')
      const observers = await Promise.all(Array.from({ length: 32 }, () => control('observer')))
      return () => Promise.all(observers.map((leave) => leave()))
    },
    sockets: {
      cdp: { role: 'observer' },
      cdpPage: async ({ front }) => ({ targetId: await front(), role: 'observer' }),
    },
  },
]
