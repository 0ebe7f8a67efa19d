import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import fs from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import path from 'node:path'
import { secretShape } from '../../shared/domain/agent-secret.ts'

/** Below this a secret could be guessed; the agent does not start with one. */
export const minSecretBytes = 32
/** A console that dies between "the agent has it" and "I have written it down" is not locked out. */
export const oldSecretLivesMs = 60_000

export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * The secret, from the environment, a file named there, or the data folder. It is taken out of the
 * environment, so that no program the agent starts inherits it.
 */
export function readSecret(env: NodeJS.ProcessEnv, dataDir: string): string {
  const fromEnv = env['PILOTHOUSE_SECRET']
  delete env['PILOTHOUSE_SECRET']
  const file = env['PILOTHOUSE_SECRET_FILE'] ?? path.join(dataDir, 'secret')
  const secret = (fromEnv ?? readIfThere(file) ?? '').trim()
  if (secret === '') {
    throw new Error(
      `There is no secret. Make one with "pilothouse-agent secret", then set PILOTHOUSE_SECRET or write it to ${file} (mode 0600).`,
    )
  }
  const wrong = whyUnusable(secret)
  if (wrong !== undefined) throw new Error(`The secret has ${wrong}. Make one with "pilothouse-agent secret".`)
  return secret
}

/** What keeps a text from being the agent's secret. */
export function whyUnusable(secret: string): string | undefined {
  if (Buffer.byteLength(secret) < minSecretBytes) return `fewer than ${minSecretBytes} bytes`
  // Nobody could send it.
  if (!secretShape.test(secret)) return 'letters that no header carries'
  return undefined
}

/** A secret file's content; undefined when there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`The secret file ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Whether any user of this machine can read a file: by its own mode, and those of the folders on the way to it. */
export function othersCanRead(file: string): boolean {
  const lets = (name: string, bit: number) => ((fs.statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & bit) !== 0
  if (!lets(file, 0o004)) return false
  for (let folder = path.dirname(path.resolve(file)); ; folder = path.dirname(folder)) {
    if (!lets(folder, 0o001)) return false
    if (folder === path.dirname(folder)) return true
  }
}

/** Checks what a client sent. Only hashes are kept and compared, in constant time, whatever their lengths. */
export class SecretChecker {
  #hash: Buffer
  #old: { hash: Buffer; validUntil: number }[] = []
  readonly #now: () => number
  #proved = new WeakMap<object, string>()

  constructor(secret: string, now: () => number = () => performance.now()) {
    this.#hash = sha256(secret)
    this.#now = now
  }

  accepts(headers: IncomingHttpHeaders): boolean {
    const given = bearer(headers.authorization) ?? single(headers['x-deploy-secret'])
    return given !== undefined && this.matches(given)
  }

  /**
   * The same for a request on a connection: the header that was right there a moment ago is not hashed again.
   * Who could learn something from the plain comparison has sent the right secret on that connection already.
   */
  acceptsOn(connection: object, headers: IncomingHttpHeaders): boolean {
    const { authorization } = headers
    if (authorization !== undefined && this.#proved.get(connection) === authorization) return true
    if (!this.accepts(headers)) return false
    if (authorization !== undefined && this.#old.length === 0) this.#proved.set(connection, authorization)
    return true
  }

  /** Whether this is the secret, or one that was replaced a moment ago. */
  matches(given: string): boolean {
    const hash = sha256(given)
    let matches = timingSafeEqual(hash, this.#hash)
    if (this.#old.length === 0) return matches
    const now = this.#now()
    this.#old = this.#old.filter(({ validUntil }) => validUntil > now)
    for (const old of this.#old) matches = timingSafeEqual(hash, old.hash) || matches
    return matches
  }

  /** Takes a new secret; the one before stays valid for a while. */
  rotate(next: string): void {
    const hash = sha256(next)
    if (hash.equals(this.#hash)) return
    this.#old = this.#old.filter((old) => !old.hash.equals(hash))
    this.#old.push({ hash: this.#hash, validUntil: this.#now() + oldSecretLivesMs })
    this.#hash = hash
    this.#proved = new WeakMap()
  }

  /** A key of its own for another purpose, from which the secret cannot be worked out. */
  derive(purpose: string): Buffer {
    return deriveKey(this.#hash, purpose)
  }
}

export function deriveKey(hash: Buffer, purpose: string): Buffer {
  return createHmac('sha256', hash).update(purpose).digest()
}

/** Whether a request carries any credentials, right or wrong. */
export function hasCredentials(headers: IncomingHttpHeaders): boolean {
  return headers.authorization !== undefined || headers['x-deploy-secret'] !== undefined
}

function bearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +(\S.*)$/i.exec(header)?.[1]
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
