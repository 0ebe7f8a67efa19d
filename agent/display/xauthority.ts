import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'

/** Any host and any display number: the file is written before the X server has chosen its number. */
const anyAddress = 0xffff

/** Writes a fresh X cookie; without it no other user of the machine can reach the display. */
export function writeXauthority(file: string): void {
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const family = Buffer.alloc(2)
  family.writeUInt16BE(anyAddress)
  const [address, displayNumber] = [Buffer.alloc(0), Buffer.alloc(0)]
  const parts = [address, displayNumber, Buffer.from('MIT-MAGIC-COOKIE-1'), randomBytes(16)]
  writeFileSync(file, Buffer.concat([family, ...parts.map(field)]), { mode: 0o600 })
}
