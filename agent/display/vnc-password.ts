import { createCipheriv, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'

/** VNC's own authentication: DES with each key byte's bits reversed. OpenSSL has DES only as triple DES. */

/** The key every VNC program obfuscates its password file with. It hides nothing: the file's mode protects it. */
const fileKey = Buffer.from([23, 82, 107, 6, 35, 78, 88, 7])

/** VNC passwords are eight bytes; base64 without padding is safe for every program that reads one. */
export function newVncPassword(): string {
  return randomBytes(6).toString('base64url')
}

/** Writes a password file that Xvnc, x0vncserver and x11vnc read; so no secret stands on a command line. */
export function writeVncPasswordFile(file: string, password: string): void {
  writeFileSync(file, desEncrypt(fileKey, passwordBytes(password)), { mode: 0o600 })
}

/** The answer to a server's 16-byte challenge. */
export function answerVncChallenge(password: string, challenge: Buffer): Buffer {
  return desEncrypt(passwordBytes(password), challenge)
}

function passwordBytes(password: string): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.write(password, 'latin1')
  return bytes
}

function desEncrypt(key: Buffer, data: Buffer): Buffer {
  const reversed = Buffer.from(key.map(reverseBits))
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([reversed, reversed, reversed]), null)
  cipher.setAutoPadding(false)
  return Buffer.concat([cipher.update(data), cipher.final()])
}

function reverseBits(byte: number): number {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) reversed |= 0x80 >> bit
  return reversed
}
