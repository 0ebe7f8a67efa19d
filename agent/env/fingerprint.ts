import { createHmac } from 'node:crypto'

/** 64 bits: two different values of a fleet never meet, and nothing of a value can be worked out from it. */
const prefixLength = 16

/**
 * The same for the same value of the same variable on every machine that has the same salt. Keyed, because a plain
 * hash of a short value (a port, "true", a weak password) is found by trying.
 */
export function fingerprint(salt: Buffer, key: string, value: string): string {
  return createHmac('sha256', salt).update(key).update('\0').update(value).digest('hex').slice(0, prefixLength)
}
