import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { vi } from 'vitest'
import { WebSocket } from 'ws'
import { startTestAgent } from '../../e2e/rigs/agent.ts'
import { startPages } from '../../e2e/rigs/pages.ts'
import { until } from '../../e2e/rigs/until.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { nodeTransport } from '../../shared/client/node.ts'
import { CdpConnection } from '../browser/cdp.ts'
import { findDevTools } from '../browser/devtools.ts'
import { usualLimits } from '../pages/limits.ts'
import { scriptedEngines } from './scripted-engine.ts'
import type { World } from './situation.ts'

const short = { loadMs: 800, readMs: 800, longMs: 800, closeMs: 300 }
/** Short enough that a test need not wait for it, long enough for what is to happen before. */
const engineTimes = { lockMs: 2000, connectMs: 20_000, verifyMs: 20_000 }

export interface ProvingWorld extends World {
  /** Back to a page that shows nothing, a person who holds nothing and engines that work. */
  reset(): Promise<void>
  stop(): Promise<void>
}

export async function startWorld(): Promise<ProvingWorld> {
  const pages = await startPages()
  const seen = async () => (await call('tabs.list')).tabs.find((tab) => tab.active)?.url ?? ''
  const engines = scriptedEngines(seen)
  const limits = { ...usualLimits }
  const rig = await startTestAgent(
    { PILOTHOUSE_BROWSER_RESTART: 'never', PILOTHOUSE_RECORDING_MAX_COUNT: '1' },
    { pageLimits: limits, engines: { kinds: engines.kinds, times: engineTimes } },
  )
  // Every call of a situation at the same time, each over a connection of its own.
  const transport = nodeTransport({ host: '127.0.0.1', port: rig.port }, { maxConnections: 64 })
  const client = new AgentClient(transport, { secret: () => rig.secret, operator: () => 'Prover' })
  const call: World['call'] = (name, params, options) => client.call(name, params, { timeoutMs: 60_000, ...options })
  mkdirSync(rig.config.uploadDir, { recursive: true })
  writeFileSync(path.join(rig.config.uploadDir, 'cv.txt'), 'a resume')
  const usual = await call('engine.config')
  let running: 'none' | 'headless' | 'display' = 'none'

  const world: ProvingWorld = {
    ...{ rig, pages, engines, call, openRequest: '' },
    async have(kind) {
      const { state } = await call('browser.status')
      if (state === 'active' && running === kind) return
      await call('browser.stop')
      if (kind !== 'none') await call('browser.start', { headless: kind === 'headless', width: 800, height: 600 })
      running = kind
    },
    async open(at) {
      if (running === 'none' || (await call('browser.status')).state !== 'active') await world.have('headless')
      await call('browser.navigate', { url: pages.origin + at })
    },
    async front() {
      return (await call('tabs.list')).tabs.find((tab) => tab.active)?.id ?? ''
    },
    patience: (how) => void Object.assign(limits, how === 'usual' ? usualLimits : short),
    async crash() {
      const profile = path.join(rig.dataDir, 'contexts', 'default', 'profile')
      const { browserUrl } = await findDevTools(profile, AbortSignal.timeout(5000))
      const cdp = await CdpConnection.connect(browserUrl)
      const page = await cdp.attach(await world.front())
      // A page that crashes does not answer.
      await page.send('Page.crash', {}, 500).catch(() => {})
      cdp.close()
      await until('the crash to be known', async () =>
        call('browser.wait', { selector: 'body' }).then(
          () => false,
          () => true,
        ),
      )
    },
    async freezePages() {
      const profile = path.join(rig.dataDir, 'contexts', 'default', 'profile')
      const { browserUrl } = await findDevTools(profile, AbortSignal.timeout(5000))
      const cdp = await CdpConnection.connect(browserUrl)
      const { processInfo } = await cdp.send('SystemInfo.getProcessInfo')
      cdp.close()
      const pids = (processInfo as { type: string; id: number }[]).flatMap(({ type, id }) =>
        type === 'renderer' ? [id] : [],
      )
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      return async () => {
        for (const pid of pids) process.kill(pid, 'SIGCONT')
      }
    },
    async signal(signal) {
      const { processes } = await call('browser.status')
      const chromium = processes.find(({ name }) => name === 'chromium')
      if (chromium === undefined) throw new Error('no browser runs')
      process.kill(chromium.pid, signal)
    },
    setEnv: (name, value) => void vi.stubEnv(name, value),
    async askForHelp() {
      const human = { engine: 'human', mode: null, retries: 0, timeMs: 60_000 } as const
      await call('engine.setConfig', { cascade: { ...usual.cascade, levels: [human] } })
      const asking = call('engine.run', { instruction: 'help' }).catch(() => {})
      const request = await until('the request', async () =>
        (await call('takeover.requests')).requests.find(({ state }) => state === 'open'),
      )
      return { id: request.id, ended: () => asking }
    },
    async control(role) {
      const socket = new WebSocket(`ws://127.0.0.1:${rig.port}/v1/browser/cdp?role=${role}`, {
        headers: { authorization: `Bearer ${rig.secret}` },
      })
      socket.on('error', () => {})
      await new Promise((resolve) => socket.once('open', resolve))
      return async () => {
        const closed = new Promise((resolve) => socket.once('close', resolve))
        socket.terminate()
        await closed
        await until('the place to be free', async () => (await call('cdp.clients')).clients.length === 0)
      }
    },
    async reset() {
      vi.unstubAllEnvs()
      world.patience('usual')
      engines.conduct = 'works'
      await call('engine.release', { force: true })
      await call('engine.setConfig', usual)
      if ((await call('browser.status')).state !== 'active') return
      // A person who holds the browser leaves with it; pages that fight back go with it as well.
      if ((await call('takeover.get')).lease !== null) await call('browser.stop')
      else await freshTab(call)
    },
    async stop() {
      vi.unstubAllEnvs()
      client.close()
      await rig.stop()
      await pages.stop()
    },
  }
  return world
}

/** One tab, which shows nothing; the others are gone, however long they take. */
async function freshTab(call: World['call']): Promise<void> {
  const { id: fresh } = await call('tabs.open')
  await until('the other tabs to be gone', async () => {
    const others = (await call('tabs.list')).tabs.filter(({ id }) => id !== fresh)
    for (const { id } of others) await call('tabs.close', { id }).catch(() => {})
    return others.length === 0
  })
}
