import type { terminalCalls } from '../../shared/ipc-terminal.ts'
import type { SshTerminals } from '../terminal/ssh-terminal.ts'
import type { IpcHandlers } from './dispatch.ts'

export interface TerminalHandlerDeps {
  sshTerminals: Pick<SshTerminals, 'open'>
  personActs: () => void
  /** Writes what windows keep to the disk; by itself that is done seconds later. */
  flushWindows: () => void
  /** Opens an address in the browser of this computer. */
  openLink: (url: string) => Promise<void>
}

/** Terminals past the agent, and the links in them. */
export function terminalHandlers(deps: TerminalHandlerDeps): Pick<IpcHandlers, keyof typeof terminalCalls> {
  return {
    'terminal.openSsh': async ({ machineId, cols, rows }, caller) => {
      deps.personActs()
      return { streamId: await deps.sshTerminals.open(machineId, { cols, rows }, caller) }
    },
    'terminal.noted': () => {
      deps.flushWindows()
      return {}
    },
    'app.openLink': async ({ url }) => {
      // As the parser reads it: what was checked is what is opened.
      await deps.openLink(new URL(url).href)
      return {}
    },
  }
}
