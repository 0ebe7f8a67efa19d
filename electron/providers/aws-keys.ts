import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import type { Vault } from '../vault/vault.ts'
import type { AwsKeys } from './ec2-accounts.ts'

const keysSchema = z.object({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string().optional(),
})

const account = (name: string) => `aws:${name}`

/** Keys of AWS that people entered, by name. They stand in the keychain and nowhere else. */
export class AwsKeyKeeper {
  readonly #vault: Pick<Vault, 'get' | 'set' | 'delete' | 'list'>

  constructor(vault: Pick<Vault, 'get' | 'set' | 'delete' | 'list'>) {
    this.#vault = vault
  }

  async get(name: string): Promise<AwsKeys | undefined> {
    const text = await this.#vault.get(account(name), 'aws')
    if (text === undefined) return undefined
    try {
      return keysSchema.parse(JSON.parse(text))
    } catch {
      return undefined
    }
  }

  set(name: string, keys: AwsKeys): Promise<'keychain' | 'this-run'> {
    return this.#vault.set(account(name), 'aws', JSON.stringify(keys))
  }

  remove(name: string): Promise<void> {
    return this.#vault.delete(account(name), 'aws')
  }

  async list(): Promise<{ name: string; since: string }[]> {
    const kept = await this.#vault.list()
    return kept
      .filter(({ kind }) => kind === 'aws')
      .map(({ machineId, since }) => ({ name: machineId.replace(/^aws:/, ''), since }))
  }
}

/** The names of the profiles in the files that the AWS command line uses. */
export async function awsProfiles(env: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  const folder = path.join(os.homedir(), '.aws')
  const files = [
    env['AWS_CONFIG_FILE'] ?? path.join(folder, 'config'),
    env['AWS_SHARED_CREDENTIALS_FILE'] ?? path.join(folder, 'credentials'),
  ]
  const texts = await Promise.all(files.map((file) => fs.readFile(file, 'utf8').catch(() => '')))
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/^\s*\[\s*(?:profile\s+)?([^\]\s]+)\s*\]/gm), (found) => found[1] ?? ''),
  )
  return [...new Set(names)].filter((name) => !name.startsWith('sso-session')).sort()
}
