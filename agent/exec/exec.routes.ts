import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import type { CallContext, Handlers, ServerSocket, SocketHandlers } from '../server/handlers.ts'
import type { ExecService, Finished, Prepared } from './exec.service.ts'

/** Unsent bytes at which the command is made to wait for its reader. */
const highWaterBytes = 256 * 1024
/** The WebSocket does not say when it has drained; it is looked at this often while it is full. */
const drainPollMs = 10

export function execRoutes(commands: ExecService): Pick<Handlers, 'exec.run'> {
  return {
    'exec.run': async ({ command, timeout_ms }, context) => {
      const output = { stdout: '', stderr: '' }
      const finished = await commands.run(commands.prepare(command), {
        timeoutMs: timeout_ms,
        signal: context.signal,
        onText: (name, text) => {
          output[name] += text
        },
      })
      context.note(noteOf(finished))
      return { ...output, ...finished }
    },
  }
}

export function execSocket(commands: ExecService): Pick<SocketHandlers, 'exec'> {
  return {
    exec: ({ command, timeout_ms }, context) => {
      const prepared = commands.prepare(command)
      return (socket) => context.resultOf(stream(commands, prepared, timeout_ms, socket, context))
    },
  }
}

async function stream(
  commands: ExecService,
  prepared: Prepared,
  timeoutMs: number,
  socket: ServerSocket<'exec'>,
  context: Pick<CallContext, 'note'>,
): Promise<void> {
  const gone = new AbortController()
  socket.onClose = () => gone.abort()
  socket.onMessage = () => gone.abort()
  try {
    const finished = await commands.run(prepared, {
      timeoutMs,
      signal: gone.signal,
      onText: async (name, text) => {
        socket.send({ type: name, data: text })
        while (socket.bufferedBytes > highWaterBytes && !gone.signal.aborted) await sleep(drainPollMs)
      },
    })
    context.note(noteOf(finished))
    const { exitCode, signal, timedOut, truncated } = finished
    socket.send({ type: 'exit', exitCode, signal, timedOut, truncated })
  } catch (error) {
    socket.send({ type: 'error', message: Problem.from(error).message })
    throw error
  } finally {
    socket.close(1000, 'the command has ended')
  }
}

/** How it ended, for the audit. */
function noteOf({ exitCode, signal, timedOut, truncated }: Finished): Record<string, unknown> {
  return { exitCode, ...(signal === null ? {} : { signal }), timedOut, truncated }
}
