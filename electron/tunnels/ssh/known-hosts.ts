import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { matchesList } from './patterns.ts'

/** One line of a known_hosts file. */
export interface KnownHost {
  marker: 'revoked' | 'cert-authority' | undefined
  names: string
  type: string
  key: Buffer
  file: string
  line: number
}

/** What the files say about a key that a host has shown. */
export type HostKeyVerdict =
  | { verdict: 'known' }
  /** `authority`: the files trust certificates for this host, which cannot be checked here. */
  | { verdict: 'unknown'; authority: boolean }
  | { verdict: 'changed' | 'revoked'; file: string; line: number }

/** Every line that says something; what is damaged is passed over, as OpenSSH does. */
export async function readKnownHosts(files: readonly string[]): Promise<KnownHost[]> {
  const found: KnownHost[] = []
  for (const file of files) {
    const text = await fs.readFile(file, 'utf8').catch(() => '')
    text.split('\n').forEach((line, index) => {
      const entry = parseLine(line)
      if (entry !== undefined) found.push({ ...entry, file, line: index + 1 })
    })
  }
  return found
}

function parseLine(line: string): Omit<KnownHost, 'file' | 'line'> | undefined {
  const words = line.trim().split(/\s+/)
  if (words[0] === '' || words[0]?.startsWith('#')) return undefined
  const marker = words[0]?.startsWith('@') ? words.shift()?.slice(1) : undefined
  if (marker !== undefined && marker !== 'revoked' && marker !== 'cert-authority') return undefined
  const [names, type, text] = words
  if (names === undefined || type === undefined || text === undefined) return undefined
  const key = Buffer.from(text, 'base64')
  // A key begins with its own type: anything else is not a key.
  return keyType(key) === type ? { marker, names, type, key } : undefined
}

/** The name under which a host's key is kept: the port counts where it is not the usual one. */
export function lookupName(keyName: string, port: number): string {
  return port === 22 ? keyName : `[${keyName}]:${port}`
}

/** Types of key that a host is known by, so that it can be asked for these first. */
export function knownTypes(entries: readonly KnownHost[], keyName: string, port: number): string[] {
  const own = entriesFor(entries, keyName, port).filter(({ marker }) => marker === undefined)
  return [...new Set(own.map(({ type }) => type))]
}

/** Whether a key may be trusted for a host. A host that is known by other keys and shows this one has changed. */
export function judgeKey(entries: readonly KnownHost[], keyName: string, port: number, key: Buffer): HostKeyVerdict {
  const revoked = entries.find(
    (entry) => entry.marker === 'revoked' && entry.key.equals(key) && entriesFor([entry], keyName, port).length > 0,
  )
  if (revoked !== undefined) return { verdict: 'revoked', file: revoked.file, line: revoked.line }
  const own = entriesFor(entries, keyName, port)
  const plain = own.filter(({ marker }) => marker === undefined)
  if (plain.some((entry) => entry.key.equals(key))) return { verdict: 'known' }
  const [other] = [...plain].sort((a) => (a.type === keyType(key) ? -1 : 1))
  if (other !== undefined) return { verdict: 'changed', file: other.file, line: other.line }
  // OpenSSH looks once more without the port, and believes a key that fits; one that does not proves nothing.
  if (port !== 22 && entriesFor(entries, keyName, 22).some((entry) => isPlain(entry) && entry.key.equals(key))) {
    return { verdict: 'known' }
  }
  return { verdict: 'unknown', authority: own.some(({ marker }) => marker === 'cert-authority') }
}

function isPlain({ marker }: KnownHost): boolean {
  return marker === undefined
}

function entriesFor(entries: readonly KnownHost[], keyName: string, port: number): KnownHost[] {
  const name = lookupName(keyName, port)
  return entries.filter(({ names }) => namesMatch(names, name))
}

function namesMatch(names: string, name: string): boolean {
  if (!names.startsWith('|')) return matchesList(names.split(','), name)
  const [, version, salt = '', hash = ''] = names.split('|')
  if (version !== '1') return false
  const theirs = Buffer.from(hash, 'base64')
  const ours = hashName(Buffer.from(salt, 'base64'), name)
  return theirs.length === ours.length && timingSafeEqual(theirs, ours)
}

function hashName(salt: Buffer, name: string): Buffer {
  return createHmac('sha1', salt).update(name).digest()
}

/** Adds an accepted key at the end of a file, which it makes as OpenSSH would. */
export async function appendKnownHost(file: string, name: string, key: Buffer, hashed: boolean): Promise<void> {
  const salt = randomBytes(20)
  const names = hashed ? `|1|${salt.toString('base64')}|${hashName(salt, name).toString('base64')}` : name
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const handle = await fs.open(file, 'a+', 0o600)
  try {
    const { size } = await handle.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await handle.read(last, 0, 1, size - 1)
    // One write: another program may add its own line at the same time.
    const gap = size > 0 && last.toString() !== '\n' ? '\n' : ''
    await handle.write(`${gap}${names} ${keyType(key)} ${key.toString('base64')}\n`)
  } finally {
    await handle.close()
  }
}

/** The type a key says it is, such as `ssh-ed25519`. */
export function keyType(key: Buffer): string {
  if (key.length < 4) return ''
  const length = key.readUInt32BE(0)
  return length > 64 || key.length < 4 + length ? '' : key.toString('latin1', 4, 4 + length)
}
