import { isUtf8 } from 'node:buffer'
import fs from 'node:fs/promises'
import { type EnvFile, envVars, parseEnvFile, writeEnvFile } from '../../shared/domain/env-file.ts'
import { Problem } from '../../shared/errors.ts'
import { refuseEndless } from '../storage/plain-file.ts'
import { behindLinks, replaceFile } from '../storage/replace-file.ts'

/** A larger file is no list of variables. */
const maxFileBytes = 4 * 1024 * 1024
const triesWhenChanged = 5

interface Loaded {
  bytes: Buffer | undefined
  file: EnvFile
  /** A file with bytes that are no UTF-8 is read byte by byte, so that the lines one does not touch stay what they are. */
  encoding: 'utf8' | 'latin1'
}

/** Makes the new file out of the one that stands there, whose variables are `current`. */
type Change = (file: EnvFile, encode: (value: string) => string, current: Map<string, string>) => EnvFile

/** The `.env` file on disk: reads it, and changes it one change after the other. */
export class EnvStore {
  readonly #path: () => string
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: () => string) {
    this.#path = file
  }

  /** The file as it stands, and its variables as text. */
  async read(): Promise<{ file: EnvFile; vars: Map<string, string> }> {
    const loaded = await this.#load()
    return { file: loaded.file, vars: decoded(loaded) }
  }

  /** Applies a change to the file as it is now; returns the variables before and after. Changes wait for each other. */
  change(apply: Change): Promise<{ before: Map<string, string>; after: Map<string, string> }> {
    const work = this.#last.then(() => this.#change(apply))
    this.#last = work.catch(() => {})
    return work
  }

  async #change(apply: Change): Promise<{ before: Map<string, string>; after: Map<string, string> }> {
    for (let tries = 0; tries < triesWhenChanged; tries++) {
      const loaded = await this.#load()
      const encode = (value: string) => (loaded.encoding === 'utf8' ? value : Buffer.from(value).toString('latin1'))
      const changed = { ...loaded, file: applied(loaded.file, encode, decoded(loaded), apply) }
      const content = Buffer.from(writeEnvFile(changed.file), loaded.encoding)
      if (content.length > maxFileBytes && content.length > (loaded.bytes?.length ?? 0))
        throw new Problem('conflict', `The env file would be larger than ${maxFileBytes} bytes; nothing was written.`)
      const result = { before: decoded(loaded), after: decoded(changed) }
      if (loaded.bytes?.equals(content) || (loaded.bytes === undefined && content.length === 0)) return result
      if (await this.#write(loaded.bytes, content)) return result
    }
    throw new Problem('conflict', 'Something else keeps writing to the env file. Stop it, then try again.')
  }

  /** False when someone else has written to the file since it was read: then their change must not be lost. */
  async #write(before: Buffer | undefined, content: Buffer): Promise<boolean> {
    const overtaken = new Error('overtaken')
    const target = await behindLinks(this.#path())
    try {
      if (before !== undefined) await backUp(target, before)
      await replaceFile(target, content, {
        mode: 0o600,
        check: async () => {
          const now = (await this.#load()).bytes
          if (before === undefined ? now !== undefined : now === undefined || !now.equals(before)) throw overtaken
        },
      })
      return true
    } catch (error) {
      if (error === overtaken) return false
      throw error
    }
  }

  async #load(): Promise<Loaded> {
    const file = this.#path()
    let bytes: Buffer
    try {
      const stats = await fs.stat(file)
      refuseEndless(file, stats)
      if (stats.size > maxFileBytes) throw new Problem('conflict', `${file} is larger than ${maxFileBytes} bytes.`)
      bytes = await fs.readFile(file)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return { bytes: undefined, file: parseEnvFile(''), encoding: 'utf8' }
      if (code === 'ELOOP') throw new Problem('conflict', `${file} is a symbolic link to itself. Correct the link.`)
      if (code === 'EISDIR') throw new Problem('conflict', `${file} is a folder. Set PILOTHOUSE_ENV_FILE to a file.`)
      if (code === 'EACCES') throw new Problem('forbidden', `The agent may not read ${file}. Let its user read it.`)
      throw error
    }
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
    // A Buffer's own decoding keeps a byte order mark, as the parser expects.
    return { bytes, file: parseEnvFile(bytes.toString(encoding)), encoding }
  }
}

/** Private, whatever the file's own mode is: it holds what the file held. */
async function backUp(target: string, content: Buffer): Promise<void> {
  // A link in its place could lead the secrets elsewhere.
  await replaceFile(`${target}.bak`, content, { mode: 0o600, fresh: true })
}

function decoded({ file, encoding }: Loaded): Map<string, string> {
  const vars = envVars(file)
  if (encoding === 'utf8') return vars
  return new Map([...vars].map(([key, value]) => [key, Buffer.from(value, 'latin1').toString('utf8')]))
}

function applied(
  file: EnvFile,
  encode: (value: string) => string,
  current: Map<string, string>,
  apply: Change,
): EnvFile {
  try {
    return apply(file, encode, current)
  } catch (error) {
    // What the file's own text does not allow, such as a quote that is not closed.
    if (error instanceof RangeError) throw new Problem('conflict', `${error.message}. Correct the file first.`)
    throw error
  }
}
