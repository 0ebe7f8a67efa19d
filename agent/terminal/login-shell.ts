import path from 'node:path'
import { Problem } from '../../shared/errors.ts'
import { commandEnvironment } from '../exec/environment.ts'
import { findProgram } from '../processes/find-program.ts'
import { isFolder } from '../storage/is-folder.ts'
import { asUser, terminalAccount } from './other-user.ts'
import type { PtyOptions } from './pty.ts'

export interface ShellSettings {
  /** Instead of the user's own. */
  shell: string | undefined
  /** Whom terminals are opened as, instead of the agent's own user. */
  terminalUser: string | undefined
  /** See `commandEnvironment`. */
  commandEnv: readonly string[]
}

/** Which shell a terminal runs, as whom, where, and with which environment; or why it cannot. */
export async function loginShell(
  settings: ShellSettings,
  cwd: string | undefined,
): Promise<Omit<PtyOptions, 'cols' | 'rows'>> {
  const user = await terminalAccount(settings.terminalUser)
  const wanted = settings.shell ?? user.shell
  if (/\/(nologin|false)$/.test(wanted)) {
    throw new Problem(
      'forbidden',
      `The user ${user.name} has no login shell. Set PILOTHOUSE_SHELL to one, such as /bin/bash, to allow terminals.`,
    )
  }
  const shell = findProgram([wanted])
  if (shell === undefined) {
    throw new Problem(
      'install-required',
      `The shell ${wanted} is not on this machine. Install it, or set PILOTHOUSE_SHELL.`,
    )
  }
  const [program = shell, ...args] = [...asUser(user), shell, '-l']
  const identity = { HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: shell }
  const env = {
    ...commandEnvironment(settings.commandEnv),
    ...identity,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  }
  return { program, args, cwd: folder(cwd, user.home), env, owner: user.uid }
}

function folder(wanted: string | undefined, home: string): string {
  if (wanted === undefined) return isFolder(home) ? home : '/'
  const full = path.resolve(home, wanted)
  if (wanted.includes('\0') || !isFolder(full)) {
    throw new Problem('invalid-params', 'cwd: there is no such folder on this machine. Leave it out to start at home.')
  }
  return full
}
