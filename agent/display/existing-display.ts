import { mkdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findProgram } from '../processes/find-program.ts'
import { type Display, DisplayError, type DisplayOptions, freePort, programEnv, startVnc } from './display.ts'
import { LettersOf } from './foreign-letters.ts'
import { KeptVnc } from './kept-vnc.ts'
import { x0vncserverArgs, x11vncArgs } from './vnc-args.ts'
import { newVncPassword, writeVncPasswordFile } from './vnc-password.ts'
import { displaySilent, readDisplaySize } from './x11.ts'

/** The program that shows a display which is there already: x0vncserver, then x11vnc. */
export function findSharingProgram(searchPath?: string): { name: string; program: string } | null {
  // Debian's x0vncserver is a script around the program that wants other arguments; the program comes first.
  const x0vncserver = findProgram(['X0tigervnc', 'x0vncserver'], searchPath)
  if (x0vncserver !== undefined) return { name: 'x0vncserver', program: x0vncserver }
  const x11vnc = findProgram(['x11vnc'], searchPath)
  return x11vnc === undefined ? null : { name: 'x11vnc', program: x11vnc }
}

/** Puts a VNC server before a display that another program made; on stop the display stays. */
export async function shareDisplay(name: string, options: DisplayOptions): Promise<Display> {
  const { dir, dataDir, signal } = options
  const sharing = findSharingProgram()
  if (sharing === null)
    throw new DisplayError('There is no program that shows a display: neither x0vncserver nor x11vnc.')
  const XAUTHORITY = process.env['XAUTHORITY'] ?? path.join(os.homedir(), '.Xauthority')
  const env = { DISPLAY: name, XAUTHORITY }
  const size = await readDisplaySize(env).catch((error: Error) => {
    throw new DisplayError(`The display ${name} cannot be used: ${error.message}.`)
  })
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const passwordFile = path.join(dir, 'vnc-password')
  const vnc = { port: await freePort(), password: newVncPassword() }
  writeVncPasswordFile(passwordFile, vnc.password)
  const args =
    sharing.name === 'x11vnc'
      ? x11vncArgs(name, vnc.port, XAUTHORITY, passwordFile)
      : x0vncserverArgs(name, vnc.port, passwordFile)
  const server = { ...sharing, args, env: { ...programEnv(), ...env }, dataDir }
  const clear = () => rmSync(dir, { recursive: true, force: true })
  const keptVnc = await KeptVnc.start({
    start: () => startVnc(server, vnc),
    displayGone: () => displaySilent(env),
  }).catch((error: unknown) => {
    clear()
    throw error
  })
  const letters = sharing.name === 'x11vnc' ? null : new LettersOf(env)
  const stop = async () => {
    letters?.close()
    await keptVnc.stop()
    clear()
  }
  if (signal.aborted) {
    await stop()
    signal.throwIfAborted()
  }
  return {
    ...{ name, env, vnc, letters, size, resizable: false, keptVnc, broken: keptVnc.gaveUp, stop },
    get processes() {
      return [keptVnc.process]
    },
  }
}
