import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Problem } from '../../shared/errors.ts'
import { commandEnvironment } from '../exec/environment.ts'
import { splitCommand } from '../exec/split-command.ts'
import { findProgram } from '../processes/find-program.ts'

const answerMs = 15_000

/** The program and arguments that power this machine off. */
export function powerOffCommand(told: string | undefined): string[] {
  if (told !== undefined && told !== '') return splitCommand(told)
  const isRoot = process.getuid?.() === 0
  if (process.platform === 'darwin') {
    if (!isRoot) return ['osascript', '-e', 'tell application "System Events" to shut down']
    return ['shutdown', '-h', 'now']
  }
  // systemd lets some users do this who are not root, and must not wait for a password that nobody types.
  if (existsSync('/run/systemd/system')) return ['systemctl', 'poweroff', '--no-ask-password']
  return findProgram(['shutdown']) === undefined ? ['poweroff'] : ['shutdown', '-h', 'now']
}

/** Asks the operating system to power off; returns when it has agreed. */
export function powerOff(told: string | undefined): Promise<void> {
  const [name = '', ...args] = powerOffCommand(told)
  const program = findProgram([name])
  if (program === undefined) {
    throw new Problem(
      'install-required',
      `There is no program "${name}" on this machine, so it cannot be powered off from here. Set PILOTHOUSE_SHUTDOWN_COMMAND.`,
    )
  }
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: answerMs, env: commandEnvironment() }, (error, stdout, stderr) => {
      if (error === null) return resolve()
      if (error.killed) return reject(new Problem('timeout', `${name} did not answer in time. Try again, or use SSH.`))
      const said = `${stdout}\n${stderr}`.replace(/\p{Cc}+/gu, ' ').trim()
      reject(
        new Problem(
          'forbidden',
          `The machine refused to power off${said === '' ? '' : ` (${said.slice(0, 300)})`}. Run the agent as root, let its user power off, or set PILOTHOUSE_SHUTDOWN_COMMAND.`,
        ),
      )
    })
  })
}
