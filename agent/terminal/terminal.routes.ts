import type { SocketHandlers } from '../server/handlers.ts'
import type { TerminalService } from './terminal.service.ts'

export function terminalSocket(terminals: TerminalService): Pick<SocketHandlers, 'terminal'> {
  return {
    terminal: (params, context) => {
      context.note(params.id === undefined ? {} : { reattached: true })
      return terminals.prepare(params, context)
    },
  }
}
