import { createHmac } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendKnownHost, judgeKey, knownTypes, readKnownHosts } from './known-hosts.ts'

const key = (type: string, seed: number) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(type.length)
  return Buffer.concat([length, Buffer.from(type), Buffer.alloc(32, seed)])
}
const [one, other] = [key('ssh-ed25519', 1), key('ssh-ed25519', 2)]
const rsa = key('ssh-rsa', 3)
const text = (blob: Buffer) => `${blob.toString('latin1', 4, 4 + blob.readUInt32BE(0))} ${blob.toString('base64')}`

let file = ''
beforeEach(() => {
  file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'ph-known-')), 'known_hosts')
})
afterEach(() => fs.rmSync(path.dirname(file), { recursive: true, force: true }))
const judge = async (blob: Buffer, lines: string[], name = 'box', port = 22) => {
  fs.writeFileSync(file, lines.join('\n'))
  return (await judgeKey(await readKnownHosts([file]), name, port, blob)).verdict
}
const hashed = (name: string) => {
  const salt = Buffer.alloc(20, 7)
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
}

test('names, lists, wildcards, negations, ports and hashes are matched as OpenSSH does', async () => {
  expect(await judge(one, [`box ${text(one)}`])).toBe('known')
  expect(await judge(one, [`a,b*x,c ${text(one)} a comment`])).toBe('known')
  expect(await judge(one, [`*,!box ${text(one)}`])).toBe('unknown')
  expect(await judge(one, [`${hashed('box')} ${text(one)}`])).toBe('known')
  expect(await judge(one, [`${hashed('[box]:2222')} ${text(one)}`], 'box', 2222)).toBe('known')
  expect(await judge(one, [`[box]:2222 ${text(one)}`], 'box', 22)).toBe('unknown')
  expect(await judge(one, [`box ${text(one)}`], 'box', 2222)).toBe('known')
  expect(await judge(other, [`box ${text(one)}`], 'box', 2222)).toBe('unknown')
})

test('another key of a known host is a changed one, of whatever type', async () => {
  expect(await judge(other, [`box ${text(one)}`])).toBe('changed')
  expect(await judge(one, [`box ${text(rsa)}`])).toBe('changed')
  expect(await judge(other, [`box ${text(one)}`, `box ${text(other)}`])).toBe('known')
})

test('a revoked key is refused even where it is known, and an authority knows nobody here', async () => {
  expect(await judge(one, [`box ${text(one)}`, `@revoked * ${text(one)}`])).toBe('revoked')
  fs.writeFileSync(file, `@cert-authority *.example ${text(one)}\n`)
  expect(judgeKey(await readKnownHosts([file]), 'a.example', 22, other)).toEqual({
    verdict: 'unknown',
    authority: true,
  })
})

test('damaged lines and files that are not there say nothing', async () => {
  const lines = [
    '# comment',
    '',
    'box',
    'box ssh-ed25519',
    'box ssh-ed25519 !!!!',
    `box ssh-rsa ${one.toString('base64')}`,
    `@other box ${text(one)}`,
  ]
  expect(await judge(one, lines)).toBe('unknown')
  expect(await readKnownHosts([path.join(path.dirname(file), 'none')])).toEqual([])
})

test('a key is added after what is there, whether or not that ends with its line, and is known from then on', async () => {
  fs.writeFileSync(file, `a ${text(rsa)}`)
  await appendKnownHost(file, 'box', one, false)
  await appendKnownHost(file, '[box]:22022', other, true)
  const entries = await readKnownHosts([file])
  expect(entries).toHaveLength(3)
  expect(judgeKey(entries, 'box', 22, one).verdict).toBe('known')
  expect(judgeKey(entries, 'box', 22022, other).verdict).toBe('known')
  expect(knownTypes(entries, 'a', 22)).toEqual(['ssh-rsa'])
  expect(fs.readFileSync(file, 'utf8')).not.toContain('22022')
  const fresh = path.join(path.dirname(file), 'new', 'known_hosts')
  await appendKnownHost(fresh, 'box', one, false)
  expect(fs.statSync(fresh).mode & 0o777).toBe(0o600)
})
