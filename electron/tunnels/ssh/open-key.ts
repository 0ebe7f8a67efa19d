import { sign } from 'node:crypto'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import ssh2 from 'ssh2'
import type { UnlockAsked } from './unlock-key.ts'

/** A private key that can be used. */
export interface OpenKey {
  /** Throws when the key cannot sign that way. */
  sign(data: Buffer, hash: string | undefined): Buffer
}

/** A key that is not locked; undefined when it is, or is none. */
export function openPlain(content: Buffer, passphrase?: string): OpenKey | undefined {
  const parsed = ssh2.utils.parseKey(content, passphrase)
  const key = parsed instanceof Error ? undefined : [parsed].flat()[0]
  return key?.isPrivateKey() ? fromPem(key.type, key.getPrivatePEM()) : undefined
}

/** A locked key, opened beside the main thread; undefined when that is not its passphrase. */
export async function openLocked(content: Buffer, passphrase: string): Promise<OpenKey | undefined> {
  try {
    return await openBeside(content, passphrase)
  } catch {
    // No thread could be had. A moment's standstill is better than a machine that cannot be reached.
    return openPlain(content, passphrase)
  }
}

async function openBeside(content: Buffer, passphrase: string): Promise<OpenKey | undefined> {
  const asked: UnlockAsked = { content, passphrase }
  // Beside this file both in the tree and in the bundle; by a name that the bundler does not try to follow.
  const file = `./unlock-key${path.extname(import.meta.url)}`
  const worker = new Worker(new URL(file, import.meta.url), { workerData: asked, stdout: true, stderr: true })
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', (opened: { type: string; pem: string } | null) =>
        resolve(opened === null ? undefined : fromPem(opened.type, opened.pem)),
      )
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`The thread that opens keys ended with ${code}.`)))
    })
  } finally {
    await worker.terminate()
  }
}

/** What each type signs with unless the server names another. */
const usualHash: Record<string, string> = {
  'ecdsa-sha2-nistp256': 'sha256',
  'ecdsa-sha2-nistp384': 'sha384',
  'ecdsa-sha2-nistp521': 'sha512',
  'ssh-rsa': 'sha1',
  'ssh-dss': 'sha1',
}

function fromPem(type: string, pem: string): OpenKey {
  return { sign: (data, hash) => sign(hash ?? usualHash[type], data, pem) }
}
