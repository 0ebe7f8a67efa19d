import { createDecipheriv } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { answerVncChallenge, newVncPassword, writeVncPasswordFile } from './vnc-password.ts'

test('passwords are eight bytes and never the same', () => {
  const made = new Set(Array.from({ length: 50 }, newVncPassword))
  expect(made.size).toBe(50)
  for (const password of made) expect(Buffer.byteLength(password)).toBe(8)
})

test('the password file is what VNC programs expect, and only ours to read', () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'vncpw-'))
  const file = path.join(dir, 'passwd')
  writeVncPasswordFile(file, 'password')
  // What `vncpasswd -f` prints for this word.
  expect(readFileSync(file).toString('hex')).toBe('dbd83cfd727a1458')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  rmSync(dir, { recursive: true })
})

test('the answer to a challenge decrypts to the challenge, with the bits of each key byte reversed', () => {
  const challenge = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  const answer = answerVncChallenge('password', challenge)
  const key = Buffer.from('0e86ceceeef64e26', 'hex')
  const plain = createDecipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false)
  expect(Buffer.concat([plain.update(answer), plain.final()]).equals(challenge)).toBe(true)
})
