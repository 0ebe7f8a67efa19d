import { parentPort, workerData } from 'node:worker_threads'
import ssh2 from 'ssh2'

/**
 * A thread of its own: opening a locked key is made to take long, and would hold up every window meanwhile.
 * Answers with the opened key, or with nothing when that is not its passphrase.
 */
export interface UnlockAsked {
  content: Uint8Array
  passphrase: string
}

const { content, passphrase } = workerData as UnlockAsked
const parsed = ssh2.utils.parseKey(Buffer.from(content), passphrase)
const key = parsed instanceof Error ? undefined : [parsed].flat()[0]
parentPort?.postMessage(key?.isPrivateKey() ? { type: key.type, pem: key.getPrivatePEM() } : null)
