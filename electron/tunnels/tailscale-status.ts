import { execFile } from 'node:child_process'
import { z } from 'zod'
import type { TailscalePeers } from '../../shared/ipc.ts'

/** Where its installers put it; a console that was started from a dock often has a short PATH. */
const programs: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: [
    'tailscale',
    '/Applications/Tailscale.app/Contents/MacOS/Tailscale',
    '/usr/local/bin/tailscale',
    '/opt/homebrew/bin/tailscale',
  ],
  win32: ['tailscale.exe', 'C:\\Program Files\\Tailscale\\tailscale.exe'],
}
const limitMs = 5000
const maxBytes = 32 * 1024 * 1024

const peerSchema = z.object({
  HostName: z.string().default(''),
  DNSName: z.string().default(''),
  OS: z.string().default(''),
  TailscaleIPs: z.array(z.string()).nullish(),
  Online: z.boolean().default(false),
})
const statusSchema = z.object({
  BackendState: z.string().default(''),
  Peer: z.record(z.string(), peerSchema).nullish(),
})

/** What Tailscale says about this tailnet, or why it says nothing. */
export async function tailscaleStatus(env: NodeJS.ProcessEnv = process.env): Promise<TailscalePeers> {
  const answer = await run(env)
  if (answer === undefined)
    return {
      state: 'not-installed',
      detail: 'Tailscale is not installed on this computer. Install it, and log in.',
      peers: [],
    }
  return readStatus(answer.stdout, answer.stderr)
}

/** Tells the states apart by what the program says of itself; its exit code says less. */
export function readStatus(stdout: string, stderr: string): TailscalePeers {
  let status: z.infer<typeof statusSchema>
  try {
    status = statusSchema.parse(JSON.parse(stdout))
  } catch {
    const said = (stderr || stdout).trim().split('\n')[0] ?? ''
    if (/logged out|needslogin/i.test(said)) return loggedOut
    const detail = /daemon|connect|running/i.test(said) ? ` Start it. (${said})` : said === '' ? '' : ` (${said})`
    return { state: 'failed', detail: `Tailscale does not answer.${detail}`, peers: [] }
  }
  switch (status.BackendState) {
    case 'Running':
    case 'Starting':
      return {
        state: 'ready',
        detail: '',
        peers: Object.values(status.Peer ?? {})
          .map(toPeer)
          .sort(byName),
      }
    case 'NeedsLogin':
    case 'NeedsMachineAuth':
      return loggedOut
    default:
      return {
        state: 'stopped',
        detail: 'Tailscale is turned off on this computer. Turn it on (`tailscale up`).',
        peers: [],
      }
  }
}

const loggedOut: TailscalePeers = {
  state: 'logged-out',
  detail: 'Tailscale is logged out on this computer. Log in (`tailscale login`).',
  peers: [],
}

function toPeer(peer: z.infer<typeof peerSchema>): TailscalePeers['peers'][number] {
  const name = peer.DNSName.split('.')[0] || peer.HostName
  return { name, addresses: peer.TailscaleIPs ?? [], online: peer.Online, os: peer.OS }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name.localeCompare(b.name, undefined, { numeric: true })
}

/** Undefined when there is no such program. */
async function run(env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string } | undefined> {
  for (const program of programs[process.platform] ?? ['tailscale', '/usr/bin/tailscale', '/usr/local/bin/tailscale']) {
    const answer = await runOne(program, env)
    if (answer !== undefined) return answer
  }
  return undefined
}

function runOne(program: string, env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string } | undefined> {
  return new Promise((resolve) => {
    execFile(program, ['status', '--json'], { env, timeout: limitMs, maxBuffer: maxBytes }, (error, stdout, stderr) => {
      if (error !== null && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES')) resolve(undefined)
      else resolve({ stdout, stderr: stderr || (error?.killed ? 'it took too long' : '') })
    })
  })
}
