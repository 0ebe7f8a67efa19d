import { spawn } from 'node:child_process'
import { type PackageManager, packageManager } from '../machine/programs.ts'
import { findProgram } from '../processes/find-program.ts'
import { installArgs, packageManagers, type Target } from './packages.ts'

export interface InstallOptions {
  target: Target
  yes: boolean
  printOnly: boolean
  packageManager: string | undefined
}

/** Where the command line reads and writes; tests have their own. */
export interface Surroundings {
  isRoot: boolean
  say: (text: string) => void
  /** Undefined where nobody can be asked. */
  confirm: ((question: string) => Promise<boolean>) | undefined
  run: (command: readonly string[]) => Promise<number>
}

/** Installs what a browser or a desktop needs, or says with which command someone else can; returns the exit code. */
export async function installPackages(options: InstallOptions, around: Surroundings): Promise<number> {
  const manager = chosen(options.packageManager)
  const install = installArgs(options.target, manager)
  // A fresh machine knows no package by name before this.
  const steps = manager === 'apt' ? [['apt-get', 'update'], install] : [install]
  const typed = steps.map((step) => [...(around.isRoot ? [] : ['sudo']), ...step].join(' ')).join(' && ')
  if (options.printOnly) {
    around.say(`${typed}\n`)
    return 0
  }
  if (!around.isRoot) {
    around.say(`Installing needs root, which this is not. Nothing was installed. Run:\n  ${typed}\n`)
    return 1
  }
  if (!options.yes) {
    if (around.confirm === undefined) {
      around.say(`Nothing was installed, because nobody can be asked. Add --yes, or run:\n  ${typed}\n`)
      return 1
    }
    if (!(await around.confirm(`This runs:\n  ${typed}\nGo on? [y/N] `))) {
      around.say('Nothing was installed.\n')
      return 1
    }
  }
  for (const step of steps) {
    const code = await around.run(step)
    if (code !== 0) {
      around.say(`"${step.join(' ')}" ended with code ${code}. What it printed says why.\n`)
      return code
    }
  }
  around.say('Installed. "pilothouse-agent doctor" shows what works now.\n')
  return 0
}

function chosen(told: string | undefined): PackageManager {
  if (told === undefined) {
    const found = packageManager()
    if (found !== undefined) return found
    throw new Error('This machine has neither apt nor dnf nor apk. Name one with --package-manager to see its command.')
  }
  const known = packageManagers.find((name) => name === told)
  if (known === undefined) {
    throw new Error(`--package-manager is "${told}"; it takes one of ${packageManagers.join(', ')}.`)
  }
  return known
}

/** The surroundings of a person at a terminal. */
export function realSurroundings(): Surroundings {
  return {
    isRoot: process.getuid?.() === 0,
    say: (text) => void process.stdout.write(text),
    confirm: process.stdin.isTTY ? ask : undefined,
    run: runVisibly,
  }
}

async function ask(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await reader.question(question)
  reader.close()
  return /^y(es)?$/i.test(answer.trim())
}

function runVisibly([name = '', ...args]: readonly string[]): Promise<number> {
  const program = findProgram([name])
  if (program === undefined) throw new Error(`There is no ${name} on this machine.`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
