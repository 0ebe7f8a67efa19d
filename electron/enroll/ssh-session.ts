import type { Client } from 'ssh2'
import { Problem } from '../../shared/errors.ts'

export interface ExecResult {
  code: number
  stdout: string
  stderr: string
}

/** What enrolling needs of a machine: programs with arguments, and files. */
export interface SshSession {
  exec(program: string, args: readonly string[], options?: { timeoutMs?: number }): Promise<ExecResult>
  writeFile(path: string, bytes: Uint8Array, mode: number): Promise<void>
  close(): void
}

const execLimitMs = 60_000
/** A program that talks more than this has nothing to say that is needed here. */
const maxOutput = 64 * 1024

/** A session over a connection that the tunnels hold; closing it lets the connection go. */
export function openSession(client: Client, release: () => void): SshSession {
  return {
    exec: (program, args, options = {}) => exec(client, [program, ...args], options.timeoutMs ?? execLimitMs),
    writeFile: (path, bytes, mode) => writeFile(client, path, bytes, mode),
    close: release,
  }
}

/** SSH carries one line, which the shell at the other end reads: each word is quoted, so that it stays one. */
export function quote(words: readonly string[]): string {
  return words
    .map((word) => {
      if (word.includes('\0')) throw new Problem('invalid-params', 'A word of a command cannot hold a NUL.')
      return /^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
    })
    .join(' ')
}

function exec(client: Client, words: readonly string[], limitMs: number): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    client.exec(quote(words), (error, channel) => {
      if (error !== undefined)
        return reject(new Problem('unreachable', `SSH did not run ${words[0]}: ${error.message}`))
      let [stdout, stderr, code] = ['', '', -1]
      const limit = setTimeout(() => {
        channel.close()
        reject(new Problem('timeout', `${words[0]} did not end within ${limitMs / 1000} s.`))
      }, limitMs)
      channel.on('data', (data: Buffer) => {
        if (stdout.length < maxOutput) stdout += data.toString()
      })
      channel.stderr.on('data', (data: Buffer) => {
        if (stderr.length < maxOutput) stderr += data.toString()
      })
      channel.on('exit', (status: number | null) => {
        code = status ?? -1
      })
      channel.on('close', () => {
        clearTimeout(limit)
        resolve({ code, stdout, stderr })
      })
      // Nothing is typed: a program that asks for a password ends instead of waiting.
      channel.end()
    })
  })
}

function writeFile(client: Client, path: string, bytes: Uint8Array, mode: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new Problem('unreachable', `${path} could not be written over SSH: ${error.message}`))
    client.sftp((error, sftp) => {
      if (error !== undefined) return failed(error)
      sftp.writeFile(path, Buffer.from(bytes), { mode }, (writing) => {
        sftp.end()
        if (writing) failed(writing)
        else resolve()
      })
    })
  })
}
