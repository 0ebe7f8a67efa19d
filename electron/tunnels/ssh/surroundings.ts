import fs from 'node:fs/promises'
import ssh2 from 'ssh2'
import type { TunnelSurroundings } from '../../../shared/ipc-settings.ts'
import { readKnownHosts } from './known-hosts.ts'
import { listHosts, resolveHost, type SshEnvironment } from './resolve-host.ts'

const agentLimitMs = 2000

/** Which of SSH's own files and helpers are there, as a login would find them. */
export async function lookAround(environment: SshEnvironment): Promise<TunnelSurroundings> {
  const usual = await resolveHost({ host: 'localhost' }, environment).catch(() => undefined)
  const knownHosts = usual?.knownHostsFiles ?? environment.globalKnownHosts
  return {
    configFiles: await Promise.all(environment.configFiles.map(async (file) => ({ file, found: await isThere(file) }))),
    hosts: (await listHosts(environment).catch(() => [])).length,
    knownHosts: await Promise.all(
      knownHosts.map(async (file) => ({
        file,
        found: await isThere(file),
        entries: (await readKnownHosts([file])).length,
      })),
    ),
    sshAgent: await askAgent(usual?.agentSocket),
  }
}

async function askAgent(socket: string | undefined): Promise<TunnelSurroundings['sshAgent']> {
  if (socket === undefined)
    return { state: 'none', keys: 0, detail: 'SSH_AUTH_SOCK names none: keys in files are used.' }
  const answer = new Promise<TunnelSurroundings['sshAgent']>((resolve) => {
    new ssh2.OpenSSHAgent(socket).getIdentities((error: unknown, keys: unknown) => {
      const count = Array.isArray(keys) ? keys.length : 0
      if (error) resolve({ state: 'silent', keys: 0, detail: `Nothing answers at ${socket}. Start it again.` })
      else resolve({ state: 'answers', keys: count, detail: socket })
    })
  })
  const silence = new Promise<TunnelSurroundings['sshAgent']>((resolve) => {
    const detail = `The SSH agent at ${socket} does not answer.`
    setTimeout(() => resolve({ state: 'silent', keys: 0, detail }), agentLimitMs).unref()
  })
  return Promise.race([answer, silence])
}

function isThere(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  )
}
