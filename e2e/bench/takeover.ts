import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../rigs/until.ts'
import type { Bench } from './bench.ts'
import { openEngineBrowser } from './engine-browser.ts'
import { atMost, atMostTimes } from './target.ts'

const patient = { timeoutMs: 60_000 }
/** How long the page is watched after control changed hands. */
const watchedMs = 50

/** From the call to control, while an engine keeps clicking. None of its clicks may reach the page afterwards. */
const takeoverTake: Bench = {
  name: 'takeover.take',
  unit: 'ms',
  against: 'a call that only asks who has control',
  target: atMost(250, 'ms'),
  runs: 100,
  warmups: 2,
  async open() {
    const { agent, page, close } = await openEngineBrowser()
    const { client } = agent
    const seen = () => page.evaluate<number>('seen')
    let turn = 0
    return {
      async ours() {
        await client.call('engine.connect', { engine: turn++ % 2 === 0 ? 'stagehand' : 'magnitude' }, patient)
        const before = await seen()
        let over = false
        const clicking = (async () => {
          const run = { instruction: 'click Count', cascade: false }
          while (!over) await client.call('engine.run', run, patient).catch(() => {})
        })()
        await until('the engine to click', async () => (await seen()) > before)
        const began = performance.now()
        const { leaseId } = await client.call('takeover.take', { operator: 'Bench', ttlMs: 60_000 })
        const taken = performance.now() - began
        const held = await seen()
        await sleep(watchedMs)
        const reached = (await seen()) - held
        over = true
        await clicking
        await client.call('takeover.handBack', { leaseId }, patient)
        if (reached > 0) throw new Error(`${reached} actions of the engine reached the page`)
        return taken
      },
      async yardstick() {
        const began = performance.now()
        await client.call('takeover.get')
        return performance.now() - began
      },
      close,
    }
  },
}

/** From the hand-back to an engine that has proved that it sees the page and may act. */
const takeoverBack: Bench = {
  name: 'takeover.back',
  unit: 'ms',
  against: "Stagehand's own connect, straight at Chromium's port",
  target: atMostTimes(1.5),
  runs: 30,
  warmups: 3,
  async open() {
    const { agent, bare, close } = await openEngineBrowser()
    const { client } = agent
    return {
      async ours() {
        const { leaseId } = await client.call('takeover.take', { operator: 'Bench', ttlMs: 60_000 })
        const began = performance.now()
        await client.call('takeover.handBack', { leaseId, handBackTo: 'stagehand' }, patient)
        const taken = performance.now() - began
        await client.call('engine.release', {}, patient)
        return taken
      },
      yardstick: bare.stagehand,
      close,
    }
  },
}

/** There and back between the two libraries: fifty rounds are a hundred switches. */
const engineSwitch: Bench = {
  name: 'engine.switch',
  unit: 'ms',
  against: 'both libraries, bare: disconnect one and connect the other',
  target: atMostTimes(1.5),
  runs: 50,
  warmups: 2,
  async open() {
    const { agent, bare, close } = await openEngineBrowser()
    const { client } = agent
    const times: number[] = []
    return {
      async ours() {
        const began = performance.now()
        for (const to of ['magnitude', 'stagehand'] as const) {
          const record = await client.call('engine.switch', { to, reason: 'bench' }, patient)
          if (!record.success) throw new Error(`the switch to ${to} failed`)
          times.push(record.durationMs)
        }
        return (performance.now() - began) / 2
      },
      async yardstick() {
        return ((await bare.magnitude()) + (await bare.stagehand())) / 2
      },
      async close() {
        await close()
        const sorted = times.sort((a, b) => a - b)
        const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
        process.stderr.write(`engine.switch: ${times.length} switches, median ${at(0.5)} ms, p95 ${at(0.95)} ms\n`)
      },
    }
  },
}

export const takeoverBenches: readonly Bench[] = [takeoverTake, takeoverBack, engineSwitch]
