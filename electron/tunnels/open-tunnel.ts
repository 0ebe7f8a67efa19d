import { openDirect } from './direct.ts'
import { openLocal } from './local.ts'
import { openSsh } from './ssh/ssh-tunnel.ts'
import { openTailscale } from './tailscale.ts'
import type { OpenTunnel } from './tunnel.ts'

/** A new kind of tunnel is a file of its own and a line here. */
export const openTunnel: OpenTunnel = (config, surroundings) => {
  switch (config.kind) {
    case 'local':
      return openLocal(surroundings)
    case 'direct':
      return openDirect(config)
    case 'tailscale':
      return openTailscale(config, surroundings.tailnet)
    case 'ssh':
      return openSsh(config, surroundings.ssh)
  }
}
