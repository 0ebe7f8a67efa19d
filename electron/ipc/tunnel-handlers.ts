import type { Prompts } from '../tunnels/prompts.ts'
import type { Tunnels } from '../tunnels/tunnels.ts'
import type { IpcHandlers } from './dispatch.ts'

type Names = Extract<Exclude<keyof IpcHandlers, 'tunnels.surroundings'>, `tunnels.${string}` | `prompt.${string}`>

/** The ways to machines, and what a person is asked on them. */
export function tunnelHandlers(tunnels: Tunnels, prompts: Prompts): Pick<IpcHandlers, Names> {
  return {
    'tunnels.test': async ({ tunnel, secret }) => ({ links: await tunnels.test(tunnel, secret) }),
    'tunnels.sshHosts': async () => ({ hosts: await tunnels.sshHosts() }),
    'tunnels.tailscalePeers': () => tunnels.tailscalePeers(),
    'tunnels.diagnostics': () => tunnels.diagnostics(),
    'prompt.list': () => prompts.list(),
    'prompt.answer': (answer) => {
      prompts.answer(answer)
      return {}
    },
  }
}
