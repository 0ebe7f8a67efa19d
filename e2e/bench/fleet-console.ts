import path from 'node:path'
import { systemClock } from '../../electron/clock.ts'
import { Fleet } from '../../electron/fleet/fleet.ts'
import { newRecord } from '../../electron/fleet/new-record.ts'
import { openStore } from '../../electron/store/store.ts'
import { openDirect } from '../../electron/tunnels/direct.ts'
import { AgentClient } from '../../shared/client/client.ts'

/**
 * The console's fleet in a process of its own, as main has it, or in its place a loop that asks every machine for the
 * same every five seconds. Says what it cost over a while: `{ cpuMs, addedMb, startedWithMb, changeMs }`, as one line of JSON.
 */
const [mode, folder, portText, countText, secondsText] = process.argv.slice(2)
const [port, count, seconds] = [Number(portText), Number(countText), Number(secondsText)]
const hosts = Array.from({ length: count }, (_, index) => `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`)
const secret = 's'.repeat(43)
const latencies: number[] = []
let startedWithMb = process.memoryUsage().rss / 1e6

const stop = mode === 'polling' ? startPolling() : await startFleet()
const before = process.cpuUsage()
await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const { user, system } = process.cpuUsage(before)
const addedMb = process.memoryUsage().rss / 1e6 - startedWithMb
latencies.sort((a, b) => a - b)
const changeMs = latencies[Math.floor(latencies.length * 0.95)] ?? Number.NaN
process.stdout.write(
  `${JSON.stringify({ cpuMs: (user + system) / 1000, addedMb, startedWithMb, changeMs, changes: latencies.length })}\n`,
)
await stop()
process.exit(0)

async function startFleet(): Promise<() => Promise<void>> {
  const store = openStore(path.join(folder ?? '', 'console.db'))
  const now = new Date().toISOString()
  for (const host of hosts) {
    const tunnel = { kind: 'direct', host, port } as const
    store.machines.save({
      ...newRecord({ id: host, name: host, environment: 'prod', machineType: 'ssh_host', tunnel, now }),
      state: 'running',
    })
  }
  const changedAt = new Map<string, number>()
  const fleet = new Fleet({
    store,
    vault: {
      get: async () => secret,
      set: async () => 'this-run',
      delete: async () => {},
      state: async () => ({ state: 'ready', detail: '' }),
    },
    openTunnel: (config) => openDirect(config as { host: string; port: number }),
    operator: () => 'bench',
    clock: systemClock,
    log: () => {},
    onEvent: (id, event) => void changedAt.set(id, Date.parse(event.time)),
    // What main does with it: one message to the window, copied.
    onChanged: (changes) => {
      const copy = structuredClone(changes)
      const at = Date.now()
      for (const { id } of copy.changed) {
        const since = changedAt.get(id)
        if (since === undefined) continue
        changedAt.delete(id)
        latencies.push(at - since)
      }
    },
  })
  startedWithMb = process.memoryUsage().rss / 1e6
  fleet.start()
  const verified = () =>
    fleet.list().filter(({ knownFrom, metrics }) => knownFrom === 'machine' && metrics !== null).length
  while (verified() < count) await new Promise((resolve) => setTimeout(resolve, 250))
  latencies.length = 0
  return async () => {
    await fleet.stop()
    store.close()
  }
}

function startPolling(): () => Promise<void> {
  const clients = hosts.map((host) => new AgentClient(openDirect({ host, port }).transport(), { secret: () => secret }))
  const shown = new Map<number, unknown>()
  const ask = async (client: AgentClient, index: number) => {
    const [takeover, metrics] = await Promise.all([client.call('takeover.get'), client.call('machine.metrics')])
    shown.set(index, structuredClone({ takeover, metrics }))
  }
  const timers = clients.map((client, index) =>
    // Spread over the five seconds, as pollers are.
    setTimeout(
      () => void ask(client, index).then(() => setInterval(() => void ask(client, index), 5000)),
      (index / clients.length) * 5000,
    ),
  )
  return async () => timers.forEach(clearTimeout)
}
