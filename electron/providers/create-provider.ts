import type { ProviderConfig } from '../../shared/domain/power.ts'
import { ec2 } from './ec2.ts'
import { localDocker } from './local-docker.ts'
import { macos } from './macos.ts'
import type { Provider, ProviderSurroundings } from './provider.ts'
import { sshHost } from './ssh-host.ts'

type Make<Kind extends ProviderConfig['kind']> = (
  config: Extract<ProviderConfig, { kind: Kind }>,
  surroundings: ProviderSurroundings,
) => Provider

/** A new kind of machine is a file of its own and a line here. */
const kinds: { [Kind in ProviderConfig['kind']]: Make<Kind> } = {
  ec2,
  macos,
  local_docker: localDocker,
  ssh_host: sshHost,
}

export function createProvider(config: ProviderConfig, surroundings: ProviderSurroundings): Provider {
  return (kinds[config.kind] as Make<typeof config.kind>)(config as never, surroundings)
}
