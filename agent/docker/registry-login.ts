import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'

const configSchema = z.object({
  auths: z.record(z.string(), z.object({ auth: z.string().optional() })).optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
  credsStore: z.string().optional(),
})
const helperAnswer = z.object({ Username: z.string(), Secret: z.string() })
const helperLimitMs = 15_000
const hub = 'https://index.docker.io/v1/'

export interface RegistryLogin {
  username: string
  password: string
  serveraddress: string
}

/**
 * The login for an image's registry, from where `docker login` put it: Docker's own configuration, or the
 * credential helper it names. Undefined where there is none, which is fine for a public image.
 */
export async function registryLogin(reference: string, env: NodeJS.ProcessEnv): Promise<RegistryLogin | undefined> {
  const server = registryOf(reference)
  const folder = env['DOCKER_CONFIG'] ?? path.join(os.homedir(), '.docker')
  let config: z.output<typeof configSchema>
  try {
    config = configSchema.parse(JSON.parse(fs.readFileSync(path.join(folder, 'config.json'), 'utf8')))
  } catch {
    return undefined
  }
  const helper = config.credHelpers?.[server] ?? config.credsStore
  // The name becomes part of a program's name.
  if (helper !== undefined && /^[A-Za-z0-9_-]+$/.test(helper)) {
    const found = await askHelper(`docker-credential-${helper}`, server)
    if (found !== undefined) return found
  }
  const auth = config.auths?.[server]?.auth ?? config.auths?.[`https://${server}`]?.auth
  if (auth === undefined) return undefined
  const text = Buffer.from(auth, 'base64').toString('utf8')
  const at = text.indexOf(':')
  if (at === -1) return undefined
  return { username: text.slice(0, at), password: text.slice(at + 1), serveraddress: server }
}

/** The first part of a reference is a registry when it looks like a host; otherwise it is Docker's own. */
export function registryOf(reference: string): string {
  const first = reference.split('/')[0] ?? ''
  const isHost = reference.includes('/') && (/[.:]/.test(first) || first === 'localhost')
  return isHost ? first : hub
}

function askHelper(program: string, server: string): Promise<RegistryLogin | undefined> {
  return new Promise((resolve) => {
    const child = execFile(program, ['get'], { timeout: helperLimitMs }, (error, stdout) => {
      if (error !== null) return resolve(undefined)
      try {
        const { Username, Secret } = helperAnswer.parse(JSON.parse(stdout))
        resolve({ username: Username, password: Secret, serveraddress: server })
      } catch {
        resolve(undefined)
      }
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(server)
  })
}
