import type { SocketHandlers } from '../server/handlers.ts'
import type { TerminalService } from './terminal.service.ts'

export function terminalSocket(terminals: TerminalService): Pick<SocketHandlers, 'terminal'> {
  return {
    terminal: async (params, context) => {
      context.note(params.id === undefined ? {} : { reattached: true })
      const open = await terminals.prepare(params, context)
      return (socket) => context.resultOf(open(socket))
    },
  }
}
