import { chownSync, readSync, writeSync } from 'node:fs'
import type { ReadStream } from 'node:tty'
import { findProgram } from '../processes/find-program.ts'
import { deathGuard } from '../processes/spawn-cared.ts'
import { listWithheld, withhold } from '../processes/withheld-fds.ts'

type NodePty = typeof import('@lydell/node-pty')

/** The version this agent was tried with; what the install command names. */
export const ptyPackage = '@lydell/node-pty@1.1.0'

/** A pseudo-terminal with a program on it. */
export interface Pty {
  readonly pid: number
  /** What was read; `more` reads on into a buffer, without waiting, and gives 0 when that is all there is for now. */
  onData: (bytes: Buffer, more: (into: Buffer) => number) => void
  /** Once, after the last output. */
  onExit: (exit: { exitCode: number; signal: number }) => void
  /** Returns false when the program does not read: then wait for `onDrain`. */
  write(bytes: Uint8Array): boolean
  onDrain: () => void
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
}

export interface PtyOptions {
  program: string
  args: readonly string[]
  cols: number
  rows: number
  cwd: string
  env: Record<string, string>
  /** Whose the terminal is; without it, the agent's. */
  owner?: number
}

let loading: Promise<NodePty> | undefined

/** Loads the native part when the first terminal needs it; rejects where it is not installed or does not fit. */
export function loadPty(): Promise<NodePty> {
  loading ??= import('@lydell/node-pty').catch((error: unknown) => {
    // It may be installed while the agent runs.
    loading = undefined
    throw error
  })
  return loading
}

/** Typed input beyond this waits in the client: a program that does not read must not fill the agent. */
const maxUnwrittenBytes = 256 * 1024

/** Starts a program on a terminal of its own. */
export async function spawnPty(options: PtyOptions): Promise<Pty> {
  const nodePty = await loadPty()
  const [file = options.program, ...args] = [
    ...closingGuard(),
    ...(await deathGuard()),
    options.program,
    ...options.args,
  ]
  const { cols, rows, cwd, env } = options
  // Bytes, not text: a letter cut in two by a read is the receiver's to put together.
  const terminal = nodePty.spawn(file, args, { name: 'xterm-256color', cols, rows, cwd, env, encoding: null })
  // Private to node-pty, and needed for what its public side has no word for.
  const { _socket: stream, fd, _pty: device } = terminal as unknown as { _socket: ReadStream; fd: number; _pty: string }
  // As a login does: programs open the device by its name.
  if (options.owner !== undefined && options.owner !== process.getuid?.()) chownSync(device, options.owner, -1)
  const allow = withhold(fd)
  const keep = keepUnread(stream, fd, (bytes) => pty.onData(bytes, () => 0))
  const typed = new Typed(stream, fd, () => pty.onDrain())
  const pty: Pty = {
    pid: terminal.pid,
    onData: () => {},
    onExit: () => {},
    onDrain: () => {},
    write: (bytes) => typed.write(bytes),
    resize(newCols, newRows) {
      // One that has just ended cannot be resized, and need not be.
      if (!stream.destroyed) terminal.resize(newCols, newRows)
    },
    pause: keep.pause,
    resume: keep.resume,
  }
  stream.once('close', allow)
  terminal.onData((data) => {
    const bytes = data as unknown as Buffer
    pty.onData(bytes, keep.mayHaveMore(bytes) ? keep.more : () => 0)
  })
  terminal.onExit(({ exitCode, signal = 0 }) => pty.onExit({ exitCode, signal }))
  return pty
}

/** A terminal does not say when its program has read; it is looked at this often while it takes no more. */
const writePollMs = 5

/**
 * What is typed, until the program takes it. Left to libuv, a write to a terminal that is full is tried again and again
 * until it succeeds, and nothing else happens in this process meanwhile: a program that does not read would stop the
 * whole agent.
 */
class Typed {
  readonly #stream: ReadStream
  readonly #fd: number
  readonly #onDrain: () => void
  #waiting: Uint8Array[] = []
  #bytes = 0
  #full = false
  #timer: NodeJS.Timeout | undefined

  constructor(stream: ReadStream, fd: number, onDrain: () => void) {
    this.#stream = stream
    this.#fd = fd
    this.#onDrain = onDrain
    stream.once('close', () => clearTimeout(this.#timer))
  }

  write(bytes: Uint8Array): boolean {
    this.#waiting.push(bytes)
    this.#bytes += bytes.length
    if (this.#timer === undefined) this.#flush()
    this.#full = this.#bytes >= maxUnwrittenBytes
    return !this.#full
  }

  #flush(): void {
    this.#timer = undefined
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      // Closed: the number may be another file's by now.
      if (this.#stream.destroyed) return
      const count = writeFrom(this.#fd, first)
      this.#bytes -= count
      if (count === first.length) this.#waiting.shift()
      else if (count > 0) this.#waiting[0] = first.subarray(count)
      else {
        this.#timer = setTimeout(() => this.#flush(), writePollMs).unref()
        return
      }
    }
    if (!this.#full) return
    this.#full = false
    this.#onDrain()
  }
}

/** Writes what is taken without waiting; how many bytes that were. */
function writeFrom(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes)
  } catch {
    // EAGAIN: full. EIO: nobody is there to read any more.
    return 0
  }
}

/** The kernel gives 4 KiB of a terminal at a time; a read that came back this full will not have been the last. */
const fullReadBytes = 2048

/** Once its program has exited, a terminal that is silent for this long has no more to say. */
const silenceMs = 200

/**
 * The end of a program's output gets lost in three places, each of them when its reader is slow or the machine busy:
 * node-pty destroys the stream 200 ms after the exit, read or not; libuv takes the hang-up for the end although a
 * terminal gives no more than 4 KiB at a time; and an error throws away what the stream holds. So the destruction
 * waits until nothing comes any more, and what is left is fetched.
 */
function keepUnread(
  stream: ReadStream,
  fd: number,
  onRest: (bytes: Buffer) => void,
): {
  pause: () => void
  resume: () => void
  mayHaveMore: (first: Buffer) => boolean
  more: (into: Buffer) => number
} {
  const destroy = stream.destroy.bind(stream)
  let paused = false
  let wanted = false
  let reads = 0
  stream.on('data', () => reads++)
  stream.once('end', () => {
    for (let rest = readRest(fd); rest !== undefined; rest = readRest(fd)) onRest(rest)
  })
  const destroyWhenSilent = () => {
    const before = reads
    // A turn of the loop more after the wait: a late timer runs before what has come meanwhile is read.
    const look = () => setImmediate(() => setImmediate(decide))
    const decide = () => {
      if (paused || stream.destroyed) return
      if (reads === before) destroy()
      else destroyWhenSilent()
    }
    setTimeout(look, silenceMs)
  }
  stream.destroy = (error?: Error) => {
    if (error !== undefined) {
      while (stream.read() !== null);
      return destroy(error)
    }
    if (stream.readableEnded) return destroy()
    if (!wanted && !paused) destroyWhenSilent()
    wanted = true
    return stream
  }
  return {
    // A program that writes without end has the next 4 KiB ready: fetched here, they cost a third of a turn of the loop.
    // On Linux only, where it is sure that such a read never waits.
    mayHaveMore: (first) => process.platform === 'linux' && first.length >= fullReadBytes,
    more: (into) => (paused || wanted || stream.destroyed ? 0 : readInto(fd, into)),
    pause() {
      paused = true
      stream.pause()
    },
    resume() {
      paused = false
      stream.resume()
      if (wanted) destroyWhenSilent()
    },
  }
}

/** What the kernel still holds of a terminal that was hung up; undefined when that is nothing. */
function readRest(fd: number): Buffer | undefined {
  const bytes = Buffer.alloc(4096)
  const count = readInto(fd, bytes)
  return count === 0 ? undefined : bytes.subarray(0, count)
}

/** Reads what is there without waiting; how many bytes that were. */
function readInto(fd: number, into: Buffer): number {
  try {
    return readSync(fd, into, 0, into.length, null)
  } catch {
    // EIO: nothing left. EAGAIN: nothing yet.
    return 0
  }
}

/** Closes, in the new program, the other terminals' descriptors, which node-pty lets it inherit on Linux. */
function closingGuard(): string[] {
  const fds = listWithheld()
  const bash = process.platform === 'linux' && fds.length > 0 ? findProgram(['bash']) : undefined
  if (bash === undefined) return []
  const script = 'while [[ $1 != -- ]]; do fd=$1; exec {fd}>&-; shift; done; shift; exec "$@"'
  return [bash, '--noprofile', '--norc', '-c', script, 'bash', ...fds.map(String), '--']
}
