import { randomBytes, randomUUID } from 'node:crypto'
import type { SocketParamsOut } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Log } from '../log.ts'
import type { CallContext, ServerSocket } from '../server/handlers.ts'
import { reapTerminals, recordTerminal, terminalMark } from './leftovers.ts'
import { loginShell, type ShellSettings } from './login-shell.ts'
import { loadPty, ptyPackage, spawnPty } from './pty.ts'
import { Recording } from './recording.ts'
import { Terminal, type TerminalExit } from './terminal.ts'

/** More at once is not people working. */
const maxTerminals = 32
const keptDetachedMs = 60_000

export interface TerminalServiceOptions {
  dataDir: string
  audit: Pick<AuditLog, 'begin' | 'finish'>
  log: Log
  settings: () => ShellSettings & { recordTerminals: boolean }
  /** How long a terminal waits for a client that was cut off. */
  keptDetachedMs?: number
}

type Params = SocketParamsOut<'terminal'>
type Caller = Pick<CallContext, 'operator' | 'peer' | 'requestId'>

/** Every terminal of this machine. */
export class TerminalService {
  readonly #options: TerminalServiceOptions
  readonly #terminals = new Map<string, { terminal: Terminal; forget: NodeJS.Timeout | undefined }>()
  #opening = 0
  #opened = 0

  constructor(options: TerminalServiceOptions) {
    this.#options = options
    const ended = reapTerminals(options.dataDir)
    if (ended > 0) options.log('warn', "ended what an earlier agent's terminals left running", { processes: ended })
  }

  get open(): number {
    return this.#terminals.size
  }

  /** How many terminals were opened since the agent started. */
  get opened(): number {
    return this.#opened
  }

  /**
   * Looks whether a terminal can be opened, before the client is let in; returns what opens it, and settles when it is
   * open or did not open, which the client has been told then.
   */
  async prepare(params: Params, caller: Caller): Promise<(socket: ServerSocket<'terminal'>) => Promise<void>> {
    if (params.id !== undefined) return this.#reattach(params, params.id, caller)
    if (this.#terminals.size + this.#opening >= maxTerminals) {
      throw new Problem('too-many-requests', `There are ${maxTerminals} terminals open. Close one, then try again.`, {
        retryAfterSeconds: 60,
      })
    }
    const shell = await loginShell(this.#options.settings(), params.cwd)
    await loadPty().catch(() => {
      throw new Problem(
        'install-required',
        `Terminals need a native part. Install it beside the agent: npm install ${ptyPackage}`,
      )
    })
    return async (socket) => {
      this.#opening++
      try {
        await this.#open(shell, params, caller, socket)
      } catch (error) {
        this.#options.log('error', 'a terminal did not open', { error: String(error) })
        socket.send({ type: 'error', message: `The terminal did not open: ${Problem.from(error).message}` })
        socket.close(1011, 'the terminal did not open')
        throw error
      } finally {
        this.#opening--
      }
    }
  }

  /** Ends every shell and all that runs in them. */
  async close(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map(({ terminal }) => terminal.close()))
  }

  #reattach(params: Params, id: string, caller: Caller): (socket: ServerSocket<'terminal'>) => Promise<void> {
    const find = () => {
      const found = this.#terminals.get(id)
      if (found !== undefined) return found
      throw new Problem('not-found', 'That terminal has ended. Open a new one.')
    }
    find()
    return async (socket) => {
      let found: ReturnType<typeof find>
      try {
        found = find()
      } catch (error) {
        socket.send({ type: 'error', message: Problem.from(error).message })
        socket.close(1000, 'the terminal has ended')
        throw error
      }
      clearTimeout(found.forget)
      found.forget = undefined
      found.terminal.resize(params.cols, params.rows)
      found.terminal.attach(socket, caller.operator, { received: params.received })
    }
  }

  async #open(
    shell: Awaited<ReturnType<typeof loginShell>>,
    { cols, rows }: Params,
    caller: Caller,
    socket: ServerSocket<'terminal'>,
  ): Promise<void> {
    const { dataDir, settings } = this.#options
    const id = randomBytes(24).toString('base64url')
    const recording = settings().recordTerminals
      ? new Recording({ dataDir, id, cols, rows, shell: shell.env['SHELL'] ?? shell.program })
      : undefined
    const mark = randomUUID()
    let gone = false
    socket.onClose = () => {
      gone = true
    }
    const early = keepEarly(socket)
    const pty = await spawnPty({ ...shell, cols, rows, env: { ...shell.env, [terminalMark]: mark } })
    const strikeOut = recordTerminal(dataDir, pty.pid, mark)
    const started = performance.now()
    const terminal = new Terminal({
      id,
      pty,
      recording,
      onDetach: () => this.#keepForAWhile(id),
      onEnd: (exit) => {
        strikeOut()
        this.#auditClose(terminal, caller, exit, performance.now() - started)
        // One without a client is kept, so that whoever comes back learns how it ended.
        if (terminal.attached || this.#terminals.get(id)?.forget === undefined) this.#forget(id)
      },
    })
    this.#terminals.set(id, { terminal, forget: undefined })
    this.#opened++
    // The client left in between: nobody knows the terminal's id, so nobody can come back for it.
    if (gone) return terminal.close()
    terminal.attach(socket, caller.operator, undefined)
    early.replay()
  }

  #keepForAWhile(id: string): void {
    const entry = this.#terminals.get(id)
    if (entry === undefined) return
    clearTimeout(entry.forget)
    entry.forget = setTimeout(() => {
      void entry.terminal.close().then(() => this.#forget(id))
    }, this.#options.keptDetachedMs ?? keptDetachedMs).unref()
  }

  #forget(id: string): void {
    clearTimeout(this.#terminals.get(id)?.forget)
    this.#terminals.delete(id)
  }

  #auditClose(terminal: Terminal, caller: Caller, exit: TerminalExit, lastedMs: number): void {
    const details = {
      terminal: terminal.id.slice(0, 8),
      ...exit,
      bytes: terminal.bytes,
      recording: terminal.recordingName,
    }
    try {
      const { operator, peer, requestId } = caller
      const link = this.#options.audit.begin({ action: 'terminal_close', operator, peer, requestId, details })
      this.#options.audit.finish(link, { result: 'success', durationMs: Math.round(lastedMs) })
    } catch (error) {
      // The shell has ended, whatever the disk says.
      this.#options.log('error', 'the end of a terminal is not in the audit log', { error: String(error) })
    }
  }
}

/** What a client sends while its shell is being started, in its order, for the one that takes the socket over. */
function keepEarly(socket: ServerSocket<'terminal'>): { replay: () => void } {
  const kept: (() => void)[] = []
  const keep = (again: () => void) => {
    kept.push(again)
    // One message is enough to see that the client does not wait; the rest stays in the network.
    socket.pause()
  }
  socket.onBytes = (bytes) => keep(() => socket.onBytes(bytes))
  socket.onMessage = (message) => keep(() => socket.onMessage(message))
  return {
    replay() {
      // First, since what is typed may stop it once more.
      socket.resume()
      for (const again of kept) again()
    },
  }
}
