import type { Provider, ProviderSurroundings } from './provider.ts'

/** Any Linux box: nobody but its agent knows how it is, and nobody can switch it on from here. */
export function sshHost(_config: { kind: 'ssh_host' }, { agent }: ProviderSurroundings): Provider {
  return {
    kind: 'ssh_host',
    name: 'this host',
    actions: ['stop'],
    stop: async () => {
      await agent().call('machine.shutdown', {}, { timeoutMs: 15_000 })
    },
  }
}
