import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram } from '../processes/find-program.ts'
import { type CaredOptions, type CaredProcess, exitReason, spawnCared } from '../processes/spawn-cared.ts'
import { LettersOf } from './foreign-letters.ts'
import { KeptVnc } from './kept-vnc.ts'
import { SharedMemory } from './shared-memory.ts'
import { x11vncArgs } from './vnc-args.ts'
import { connectVnc, type VncServer } from './vnc-connect.ts'
import { newVncPassword, writeVncPasswordFile } from './vnc-password.ts'
import { displaySilent } from './x11.ts'
import { writeXauthority } from './xauthority.ts'

/** An X display, most often of the agent's own, seen and driven through a VNC server on loopback. */
export interface Display {
  /** As in DISPLAY, such as `:1`. */
  readonly name: string
  /** What a program needs in its environment to draw here. */
  readonly env: { DISPLAY: string; XAUTHORITY: string }
  readonly vnc: VncServer
  /** Keys for what its keyboard has not; null where the VNC server makes its own, and takes no others. */
  readonly letters: LettersOf | null
  /** As it is at the start; `resizable` says whether it can change. */
  readonly size: { width: number; height: number }
  /** Whether a client of the VNC server may change the display's size. */
  readonly resizable: boolean
  readonly processes: readonly CaredProcess[]
  /** Settles with the reason when there is no display, or no way to see it, any more. */
  readonly broken: Promise<string>
  /** Set where the VNC server is a program of its own, which can be started again without the rest. */
  readonly keptVnc: KeptVnc | null
  stop(): Promise<void>
}

export interface DisplayOptions {
  width: number
  height: number
  dpi: number
  /** Where the cookie and the password file lie; made fresh, removed on stop. */
  dir: string
  dataDir: string
  signal: AbortSignal
}

/** Which program of a display failed, and its last words. */
export class DisplayError extends Error {}

const readyTimeoutMs = 10_000
/** Another program may take a port between its choice and its use. */
const portTries = 3

/** The programs a display needs here: TigerVNC's Xvnc, or Xvfb and x11vnc. Null when they are missing. */
export function findDisplayPrograms(searchPath?: string): { xvnc: string } | { xvfb: string; x11vnc: string } | null {
  const xvnc = findProgram(['Xvnc', 'Xtigervnc'], searchPath)
  if (xvnc !== undefined) return { xvnc }
  const xvfb = findProgram(['Xvfb'], searchPath)
  const x11vnc = findProgram(['x11vnc'], searchPath)
  return xvfb === undefined || x11vnc === undefined ? null : { xvfb, x11vnc }
}

/** Starts a display and waits until its VNC server lets the agent in. */
export async function startDisplay(options: DisplayOptions): Promise<Display> {
  const programs = findDisplayPrograms()
  if (programs === null) throw new DisplayError('There is no program that makes a display.')
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryStart(options, programs)
    } catch (error) {
      const portTaken = error instanceof DisplayError && /in use|bind/i.test(error.message)
      if (!portTaken || attempt === portTries || options.signal.aborted) throw error
    }
  }
}

async function tryStart(
  options: DisplayOptions,
  programs: NonNullable<ReturnType<typeof findDisplayPrograms>>,
): Promise<Display> {
  const { dir, dataDir, signal } = options
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const authFile = path.join(dir, 'xauthority')
  const passwordFile = path.join(dir, 'vnc-password')
  const vnc = { port: await freePort(), password: newVncPassword() }
  writeXauthority(authFile)
  writeVncPasswordFile(passwordFile, vnc.password)

  let server: CaredProcess | undefined
  let keptVnc: KeptVnc | null = null
  let number: string | undefined
  let letters: LettersOf | null = null
  const stop = async () => {
    letters?.close()
    await keptVnc?.stop()
    await server?.end(1000)
    if (number !== undefined) removeTraces(number, server?.pid)
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    const env = programEnv()
    const xServer =
      'xvnc' in programs
        ? { name: 'Xvnc', program: programs.xvnc, args: xvncArgs(options, vnc.port, authFile, passwordFile) }
        : { name: 'Xvfb', program: programs.xvfb, args: xvfbArgs(options, authFile) }
    signal.throwIfAborted()
    const x = await spawnCared({ ...xServer, env, dataDir, reportPipe: true })
    server = x
    number = await displayNumber(x, signal)
    const name = `:${number}`
    if ('x11vnc' in programs) {
      const args = [...x11vncArgs(name, vnc.port, authFile, passwordFile), '-clear_keys']
      const { x11vnc: program } = programs
      keptVnc = await KeptVnc.start({
        start: () => startVnc({ name: 'x11vnc', program, args, env, dataDir }, vnc),
        displayGone: async () => (x.running ? displaySilent({ DISPLAY: name, XAUTHORITY: authFile }) : exitReason(x)),
      })
    } else await answers(vnc, x, signal)
    signal.throwIfAborted()
    const kept = keptVnc
    const displayEnv = { DISPLAY: name, XAUTHORITY: authFile }
    if (kept === null) letters = new LettersOf(displayEnv)
    return {
      name,
      env: displayEnv,
      vnc,
      letters,
      size: { width: options.width, height: options.height },
      resizable: kept === null,
      get processes() {
        return kept === null ? [x] : [x, kept.process]
      },
      broken: Promise.race([exitReason(x), ...(kept === null ? [] : [kept.gaveUp])]),
      keptVnc,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function xvncArgs(options: DisplayOptions, port: number, authFile: string, passwordFile: string): string[] {
  return [
    ...['-displayfd', '3', '-auth', authFile, '-nolisten', 'tcp', '-noreset', '-s', '0'],
    ...['-geometry', `${options.width}x${options.height}`, '-depth', '24', '-dpi', String(options.dpi)],
    ...['-rfbport', String(port), '-interface', '127.0.0.1', '-localhost', '-UseIPv6=0'],
    ...['-SecurityTypes', 'VncAuth', '-PasswordFile', passwordFile, '-AlwaysShared', '-desktop', 'Pilothouse'],
    // Failed attempts of another local user must not lock the agent out: to Xvnc both are 127.0.0.1.
    '-UseBlacklist=0',
    // The latency of a live view is nearly all here.
    ...['-FrameRate', '240', '-AcceptSetDesktopSize=1'],
    // The browser's clipboard never leaves by itself; what comes in is the relay's to decide.
    ...['-SendCutText=0', '-SendPrimary=0', '-SetPrimary=0', '-AllowOverride', 'desktop'],
  ]
}

function xvfbArgs(options: DisplayOptions, authFile: string): string[] {
  const screen = `${options.width}x${options.height}x24`
  return [
    ...['-displayfd', '3', '-auth', authFile, '-nolisten', 'tcp', '-noreset', '-s', '0'],
    ...['-screen', '0', screen, '-dpi', String(options.dpi)],
  ]
}

/** Only what an X server needs: the agent's own environment holds its secret. */
export function programEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG } = process.env
  return { PATH, HOME, TMPDIR, LANG }
}

/** The X server says which display it took once it can be connected to. */
async function displayNumber(server: CaredProcess, signal: AbortSignal): Promise<string> {
  const said = (async () => {
    let text = ''
    for await (const chunk of server.report as Readable) {
      text += String(chunk)
      if (text.includes('\n')) return text.trim()
    }
    await server.exited
    throw new DisplayError(`${server.name} ended before it had a display: ${server.lastLines()}`)
  })()
  const late = sleep(readyTimeoutMs, undefined, { signal }).then(() => {
    throw new DisplayError(`${server.name} had no display after ${readyTimeoutMs / 1000} s: ${server.lastLines()}`)
  })
  said.catch(() => {})
  late.catch(() => {})
  return Promise.race([said, late])
}

/** Starts a VNC server; one that does not let the agent in is ended again. */
export async function startVnc(options: CaredOptions, vnc: VncServer): Promise<CaredProcess> {
  const memory = new SharedMemory()
  const server = await spawnCared(options)
  // It may make others after it has let the agent in.
  void server.exited.then(() => memory.release(server))
  try {
    await answers(vnc, server)
    await memory.release(server)
    return server
  } catch (error) {
    await server.end(0)
    await memory.release(server)
    throw error
  }
}

/** Waits until the VNC server lets the agent in. */
async function answers(vnc: VncServer, server: CaredProcess, signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    if (!server.running) throw new DisplayError(`${server.name} ended: ${server.lastLines()}`)
    try {
      ;(await connectVnc(vnc)).destroy()
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (Date.now() > deadline)
        throw new DisplayError(`${server.name}: ${(error as Error).message}. ${server.lastLines()}`)
    }
    await sleep(20, undefined, signal === undefined ? {} : { signal })
  }
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** An X server that was killed leaves its lock and its socket. By now the number may be somebody else's. */
function removeTraces(number: string, pid: number | undefined): void {
  const lock = `/tmp/.X${number}-lock`
  try {
    if (Number(readFileSync(lock, 'latin1')) !== pid) return
  } catch {
    return
  }
  rmSync(`/tmp/.X11-unix/X${number}`, { force: true })
  rmSync(lock, { force: true })
}
