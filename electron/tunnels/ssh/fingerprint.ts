import { createHash } from 'node:crypto'

/** A key's fingerprint as OpenSSH shows it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

const keyNames: Record<string, string> = {
  'ssh-ed25519': 'ED25519',
  'ssh-rsa': 'RSA',
  'ssh-dss': 'DSA',
  'ecdsa-sha2-nistp256': 'ECDSA 256',
  'ecdsa-sha2-nistp384': 'ECDSA 384',
  'ecdsa-sha2-nistp521': 'ECDSA 521',
}

/** A key's type as people call it. */
export function keyTypeName(type: string): string {
  return keyNames[type] ?? type
}
