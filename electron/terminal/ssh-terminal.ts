import type { ClientChannel } from 'ssh2'
import { terminalSocket } from '../../shared/contract/commands.ts'
import type { SocketReceive, SocketSend } from '../../shared/contract/index.ts'
import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'
import type { PortStream } from '../../shared/stream.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Caller } from '../ipc/dispatch.ts'
import type { Streams } from '../ipc/streams.ts'
import type { Store } from '../store/store.ts'
import type { SshConnections } from '../tunnels/ssh/connections.ts'

/** How long a server may take to give a shell. */
const shellLimitMs = 20_000

export interface SshTerminalsDeps {
  fleet: Pick<Fleet, 'machine'>
  ssh: Pick<SshConnections, 'hold'>
  streams: Pick<Streams, 'hand'>
  audit: Pick<Store['audit'], 'begin' | 'finish'>
  operator: () => string
  clock: Clock
}

interface Size {
  cols: number
  rows: number
}

/**
 * Shells over a machine's SSH connection, for when its agent is down. To a window they look like the agent's
 * terminals, except that nobody keeps them while the line is cut.
 */
export class SshTerminals {
  readonly #deps: SshTerminalsDeps

  constructor(deps: SshTerminalsDeps) {
    this.#deps = deps
  }

  async open(machineId: string, size: Size, caller: Caller): Promise<string> {
    const { record } = this.#deps.fleet.machine(machineId)
    if (record.tunnel.kind !== 'ssh') {
      throw new Problem(
        'conflict',
        `${record.name} is not reached by SSH, so there is no SSH connection for a terminal. Say with Edit machine how it is reached.`,
      )
    }
    const { host, port, user } = record.tunnel
    const { connection, release } = this.#deps.ssh.hold({ host, port, user })
    try {
      const channel = await shell(await connection.client(), size, host)
      const written = this.#audited(machineId, release)
      return this.#deps.streams.hand(machineId, caller, (stream) => join(stream, channel, written), false)
    } catch (error) {
      release()
      throw error
    }
  }

  /** The opening is in the audit before it happens; this writes the end, with how much was shown. */
  #audited(machineId: string, release: () => void): (bytes: number, reason: string) => void {
    const { audit, operator, clock } = this.#deps
    const began = clock.now()
    let ended = false
    return (bytes, reason) => {
      if (ended) return
      ended = true
      release()
      const id = audit.begin({
        sandboxId: machineId,
        operator: operator(),
        action: 'ssh_terminal_close',
        details: { bytes, reason },
        createdAt: isoTime(clock),
      })
      audit.finish(id, { result: 'success', errorMessage: null, durationMs: clock.now() - began, at: isoTime(clock) })
    }
  }
}

type SshClient = Awaited<ReturnType<ReturnType<SshConnections['hold']>['connection']['client']>>

function shell(client: SshClient, { cols, rows }: Size, host: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    let late = false
    const limit = setTimeout(() => {
      late = true
      reject(new Problem('unreachable', `${host} did not give a shell in time. Try again.`))
    }, shellLimitMs)
    const failed = (error: unknown) => {
      clearTimeout(limit)
      const why = error instanceof Error ? error.message : String(error)
      reject(new Problem('unreachable', `${host} gave no shell: ${why}. May this user log in there?`))
    }
    try {
      client.shell({ term: 'xterm-256color', cols, rows, width: 0, height: 0 }, (error, channel) => {
        if (error !== undefined && error !== null) return failed(error)
        clearTimeout(limit)
        if (late) channel.close()
        else resolve(channel)
      })
    } catch (error) {
      failed(error)
    }
  })
}

/** Joins a window's stream and a channel, in the words of the agent's terminals. */
function join(stream: PortStream, channel: ClientChannel, ended: (bytes: number, reason: string) => void): void {
  let bytes = 0
  let exit: { exitCode: number | null; signal: string | null } | undefined
  const say = (message: SocketReceive<'terminal'>) => stream.sendText(JSON.stringify(message))
  const show = (data: Buffer) => {
    bytes += data.length
    // Without credit nothing more is read: the channel's window closes, and the program at the other end waits.
    if (!stream.sendBytes(new Uint8Array(data))) {
      channel.pause()
      channel.stderr.pause()
    }
  }
  channel.on('data', show)
  channel.stderr.on('data', show)
  channel.on('error', () => channel.close())
  channel.on('exit', (code: number | null, signal?: string) => {
    exit = { exitCode: code, signal: signal === undefined ? null : `SIG${signal}` }
  })
  channel.on('close', () => {
    ended(bytes, exit === undefined ? 'the connection was lost' : 'the shell has ended')
    if (exit !== undefined) say({ type: 'exit', ...exit })
    stream.close(exit === undefined ? 4002 : 1000, exit === undefined ? 'the connection was lost' : '')
  })
  stream.onDrain = () => {
    channel.resume()
    channel.stderr.resume()
  }
  stream.onClose = () => {
    ended(bytes, 'closed by the console')
    // A paused channel would never see its own end.
    channel.resume()
    channel.stderr.resume()
    channel.close()
  }
  stream.onBytes = (input) => {
    if (input.byteLength > terminalSocket.maxFrameBytes) return stream.close(1009, 'that frame is too large')
    if (channel.write(Buffer.from(input))) return undefined
    return new Promise((resolve) => {
      channel.once('drain', () => resolve())
      channel.once('close', () => resolve())
    })
  }
  stream.onText = (text) => {
    const message = read(text)
    if (message === undefined) return stream.close(1007, 'not a message of a terminal')
    if (message.type === 'resize') channel.setWindow(message.rows, message.cols, 0, 0)
    else if (message.type === 'signal') channel.signal(message.signal.slice(3))
    else if (message.type === 'close') channel.close()
  }
  say({ type: 'ready', id: 'ssh', reattached: false, recorded: false, position: 0 })
}

function read(text: string): SocketSend<'terminal'> | undefined {
  try {
    const checked = terminalSocket.send.safeParse(text.length > 1024 ? undefined : parseJson(text))
    return checked.success ? checked.data : undefined
  } catch {
    return undefined
  }
}
