import { statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Problem } from '../../shared/errors.ts'
import { commandEnvironment } from '../exec/environment.ts'
import { findProgram } from '../processes/find-program.ts'
import type { PtyOptions } from './pty.ts'

/** Which shell a terminal runs, where, and with which environment; or why it cannot. */
export function loginShell(told: string | undefined, cwd: string | undefined): Omit<PtyOptions, 'cols' | 'rows'> {
  const user = os.userInfo()
  const wanted = told ?? user.shell ?? '/bin/sh'
  if (/\/(nologin|false)$/.test(wanted)) {
    throw new Problem(
      'forbidden',
      `The agent's user (${user.username}) has no login shell. Set PILOTHOUSE_SHELL to one, such as /bin/bash, to allow terminals.`,
    )
  }
  const program = findProgram([wanted])
  if (program === undefined) {
    throw new Problem(
      'install-required',
      `The shell ${wanted} is not on this machine. Install it, or set PILOTHOUSE_SHELL.`,
    )
  }
  const env = { ...commandEnvironment(), SHELL: program, TERM: 'xterm-256color', COLORTERM: 'truecolor' }
  return { program, args: ['-l'], cwd: folder(cwd, user.homedir), env }
}

function folder(wanted: string | undefined, home: string): string {
  if (wanted === undefined) return isFolder(home) ? home : '/'
  const full = path.resolve(home, wanted)
  if (wanted.includes('\0') || !isFolder(full)) {
    throw new Problem('invalid-params', 'cwd: there is no such folder on this machine. Leave it out to start at home.')
  }
  return full
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory()
  } catch {
    return false
  }
}
