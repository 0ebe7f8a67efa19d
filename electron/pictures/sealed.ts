import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeptPicture } from '../../shared/ipc-pictures.ts'

/** What a file begins with, so that another shape can be told apart later. */
const magic = Buffer.from('PHP1')
const ivBytes = 12
const tagBytes = 16
const timeBytes = 8
const headBytes = magic.length + ivBytes + tagBytes

export const keyBytes = 32

/** A picture with its time, encrypted; bound to its machine, so that no file passes for another's. */
export function seal({ at, jpeg }: KeptPicture, machineId: string, key: Buffer): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
  cipher.setAAD(boundTo(machineId))
  const time = Buffer.alloc(timeBytes)
  time.writeBigUInt64BE(BigInt(at))
  const inside = Buffer.concat([cipher.update(time), cipher.update(jpeg), cipher.final()])
  return Buffer.concat([magic, iv, cipher.getAuthTag(), inside])
}

/** The picture; undefined for another key, another machine, a damaged file or one of another shape. */
export function unseal(file: Buffer, machineId: string, key: Buffer): KeptPicture | undefined {
  if (file.length < headBytes + timeBytes || !file.subarray(0, magic.length).equals(magic)) return undefined
  const iv = file.subarray(magic.length, magic.length + ivBytes)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
    decipher.setAAD(boundTo(machineId))
    decipher.setAuthTag(file.subarray(magic.length + ivBytes, headBytes))
    const inside = Buffer.concat([decipher.update(file.subarray(headBytes)), decipher.final()])
    return { at: Number(inside.readBigUInt64BE()), jpeg: new Uint8Array(inside.subarray(timeBytes)) }
  } catch {
    return undefined
  }
}

function boundTo(machineId: string): Buffer {
  return Buffer.from(`pilothouse last picture of ${machineId}`)
}
