import os from 'node:os'
import path from 'node:path'

/**
 * Where a Docker Engine's socket can be. Told in `DOCKER_HOST` it is there and nowhere else: another engine
 * than the one a person named must not be used in its stead. Otherwise the usual places of Docker on Linux,
 * Docker Desktop on macOS, rootless Docker and Podman.
 */
export function dockerSockets(env: NodeJS.ProcessEnv): string[] {
  const host = env['DOCKER_HOST'] ?? ''
  if (host !== '') {
    const told = /^unix:\/\/(\/.+)$/.exec(host)?.[1]
    return told === undefined ? [] : [told]
  }
  const run = env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`
  return [
    '/var/run/docker.sock',
    path.join(os.homedir(), '.docker', 'run', 'docker.sock'),
    path.join(run, 'docker.sock'),
    path.join(run, 'podman', 'podman.sock'),
    '/run/podman/podman.sock',
  ]
}
