import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { z } from 'zod'
import { Problem } from '../../shared/errors.ts'
import { RotatingFile } from '../rotating-file.ts'
import { dropInherited } from './inherited.ts'
import { gone, isAlive, kill } from './process.ts'

export interface LocalAgentOptions {
  /** The Node that runs the agent: Electron's own cannot be used, its run-as-node fuse is off. */
  node: string
  script: string
  dataDir: string
  logFile: string
  env: NodeJS.ProcessEnv
  /** How long the agent may take until it says it is ready. */
  startLimitMs?: number
  /** How long it may take to end its browser and itself before it is killed. */
  stopLimitMs?: number
}

export interface RunningAgent {
  readonly pid: number
  readonly socketPath: string
  readonly agentId: string
}

const readyLine = z.discriminatedUnion('ready', [
  z.object({ ready: z.literal(true), pid: z.int().positive(), socketPath: z.string(), agentId: z.string() }),
  z.object({ ready: z.literal(false), problem: z.string() }),
])
const maxReadyLineBytes = 64 * 1024
const aliveCheckMs = 1000

/**
 * The agent of this computer. It leaves the console's process tree, so that the tree listens on nothing, but
 * holds the other end of a pipe: when this console goes, even by `kill -9`, the pipe closes and the agent ends.
 */
export class LocalAgent {
  readonly #options: LocalAgentOptions
  #running: RunningAgent | undefined
  #starting: Promise<RunningAgent> | undefined
  #lifeline: Writable | undefined
  #socketFolder: string | undefined
  #watch: ReturnType<typeof setInterval> | undefined
  #stopping = false
  /** It ended although nobody asked it to. */
  onUnexpectedEnd: () => void = () => {}

  constructor(options: LocalAgentOptions) {
    this.#options = options
  }

  get running(): RunningAgent | undefined {
    return this.#running
  }

  get #stopLimitMs(): number {
    return this.#options.stopLimitMs ?? 10_000
  }

  /** Starts the agent, or gives the one that runs. */
  start(secret: string): Promise<RunningAgent> {
    if (this.#running !== undefined) return Promise.resolve(this.#running)
    this.#starting ??= this.#start(secret).finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  /** Lets go of the lifeline and waits until the agent, its browser and its display have ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#starting?.catch(() => {})
    const pid = this.#running?.pid
    this.#lifeline?.end()
    if (pid !== undefined && !(await gone(pid, this.#stopLimitMs))) {
      kill(pid)
      await gone(pid, 2000)
    }
    this.#clear()
    this.#stopping = false
  }

  async #start(secret: string): Promise<RunningAgent> {
    const { node, script, dataDir } = this.#options
    for (const file of [node, script]) {
      if (!fs.existsSync(file)) {
        throw new Problem(
          'install-required',
          `The agent cannot be started: ${file} is missing. Build it with npm run build.`,
        )
      }
    }
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    this.#socketFolder = makeSocketFolder(dataDir)
    const child = spawn(node, [...dropInherited, script, 'serve', '--detach', '--lifeline'], {
      env: {
        ...withoutElectron(this.#options.env),
        PILOTHOUSE_SECRET: secret,
        PILOTHOUSE_DATA_DIR: dataDir,
        // Node keeps the agent's code there as it compiled it: the next start takes half as long.
        NODE_COMPILE_CACHE: path.join(dataDir, 'code-cache'),
        PILOTHOUSE_SOCKET: path.join(this.#socketFolder, 'agent.sock'),
        PILOTHOUSE_PORT: 'off',
        PILOTHOUSE_MACHINE_TYPE: 'local_docker',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const closed = new Promise((resolve) => child.once('close', resolve))
    this.#lifeline = child.stdin
    // Node destroys a child's stdin when the child exits; this child exits at once and the agent lives on.
    Object.assign(child, { stdin: null })
    this.#keepLog(child, this.#lifeline)
    try {
      this.#running = await this.#whenReady(child)
    } catch (error) {
      this.#lifeline.end()
      child.kill()
      // The pipes are the agent's too: when they are closed, it is gone.
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, this.#stopLimitMs))])
      this.#clear()
      throw error
    }
    this.#watch = setInterval(() => this.#checkAlive(), aliveCheckMs)
    child.once('close', () => this.#checkAlive())
    return this.#running
  }

  #whenReady(child: ChildProcess): Promise<RunningAgent> {
    const limitMs = this.#options.startLimitMs ?? 20_000
    return new Promise((resolve, reject) => {
      const fail = (detail: string) => {
        clearTimeout(limit)
        reject(new Problem('start-failed', `${detail} Its log is ${this.#options.logFile}.`))
      }
      const limit = setTimeout(() => fail(`The agent was not ready within ${limitMs / 1000} s.`), limitMs)
      child.once('error', (error) => fail(`The agent could not be started: ${error.message}.`))
      child.once('close', (code, signal) => fail(`The agent ended at once (${signal ?? `code ${code}`}).`))
      let text = ''
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const end = text.indexOf('\n')
        if (end === -1 && text.length < maxReadyLineBytes) return
        child.stdout?.removeAllListeners('data').resume()
        clearTimeout(limit)
        const ready = parseReady(text.slice(0, end === -1 ? maxReadyLineBytes : end))
        if (ready === undefined) fail('The agent said something that is not in the contract.')
        else if (ready.ready) resolve({ pid: ready.pid, socketPath: ready.socketPath, agentId: ready.agentId })
        else fail(`The agent did not start: ${ready.problem}.`.replace('..', '.'))
      })
    })
  }

  #keepLog(child: ChildProcess, lifeline: Writable): void {
    const file = new RotatingFile(this.#options.logFile)
    child.stderr?.on('data', (chunk: Buffer) => file.write(chunk))
    // Each stream can fail when the other end goes away; the alive check says so in words.
    for (const stream of [lifeline, child.stdout, child.stderr]) stream?.on('error', () => {})
  }

  #checkAlive(): void {
    if (this.#running === undefined || this.#stopping || isAlive(this.#running.pid)) return
    this.#clear()
    this.onUnexpectedEnd()
  }

  #clear(): void {
    clearInterval(this.#watch)
    this.#running = undefined
    this.#lifeline = undefined
    if (this.#socketFolder !== undefined) fs.rmSync(this.#socketFolder, { recursive: true, force: true })
    this.#socketFolder = undefined
  }
}

function parseReady(line: string): z.infer<typeof readyLine> | undefined {
  try {
    return readyLine.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

/**
 * Short, because the path of a Unix socket may have about 100 bytes; private, because of who else is here.
 * Remembered, so that the one a killed console left behind goes at the next start.
 */
function makeSocketFolder(dataDir: string): string {
  const prefix = path.join(os.tmpdir(), 'pilothouse-')
  const note = path.join(dataDir, 'socket-folder')
  const left = fs.existsSync(note) ? path.resolve(fs.readFileSync(note, 'utf8')) : ''
  const isOurs = path.dirname(left) === path.dirname(prefix) && /^pilothouse-[A-Za-z0-9]{6}$/.test(path.basename(left))
  if (isOurs) fs.rmSync(left, { recursive: true, force: true })
  const folder = fs.mkdtempSync(prefix)
  fs.writeFileSync(note, folder, { mode: 0o600 })
  return folder
}

/** The user's own environment, without what would turn a child into another Electron. */
function withoutElectron(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ELECTRON_')))
}
