import { Prompts } from '../../electron/tunnels/prompts.ts'
import type { SleepWatchTimes } from '../../electron/tunnels/sleep-watch.ts'
import type { SshEnvironment } from '../../electron/tunnels/ssh/resolve-host.ts'
import { Tunnels } from '../../electron/tunnels/tunnels.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { followEvents } from '../../shared/client/events.ts'
import { followLogs } from '../../shared/client/logs.ts'

/** What the process that is put to sleep is told. */
export interface SleeperOptions {
  environment: SshEnvironment
  socketPath: string
  port: number
  secret: string
  sleepWatch?: SleepWatchTimes
}

/** What it says, a line each. */
export type SleeperSays =
  | { kind: 'event'; via: 'ssh' | 'direct'; seq: number }
  | { kind: 'line'; number: number }
  | { kind: 'woke' }

const options = JSON.parse(process.argv[2] ?? '{}') as SleeperOptions
const say = (what: SleeperSays) => process.stdout.write(`${JSON.stringify(what)}\n`)

class WatchedTunnels extends Tunnels {
  override resumed(): void {
    say({ kind: 'woke' })
    super.resumed()
  }
}

const tunnels = new WatchedTunnels({
  localSocket: () => undefined,
  prompts: new Prompts({ shown: () => {}, closed: () => {} }),
  vault: {
    get: async () => undefined,
    set: async () => 'keychain',
    state: async () => ({ state: 'ready', detail: '' }),
  },
  log: () => {},
  environment: () => options.environment,
  ...(options.sleepWatch && { sleepWatch: options.sleepWatch }),
})
const ways = {
  ssh: tunnels.open({ kind: 'ssh', host: 'box', remote: { socketPath: options.socketPath } }),
  direct: tunnels.open({ kind: 'direct', host: '127.0.0.1', port: options.port }),
}
for (const via of ['ssh', 'direct'] as const) {
  const client = new AgentClient(ways[via].transport(), { secret: () => options.secret })
  followEvents(client, { onEvent: ({ seq }) => say({ kind: 'event', via, seq }) }, 0)
  if (via === 'direct') continue
  followLogs(client, 'adspower', {
    onLines: (lines) => {
      for (const { message } of lines) say({ kind: 'line', number: Number(message.split(' ').at(-1)) })
    },
  })
}
