import { findProgram } from '../processes/find-program.ts'

/** The command of each package manager; further arguments are package names. */
export const managers = {
  apt: ['apt-get', 'install', '-y', '--no-install-recommends'],
  dnf: ['dnf', 'install', '-y'],
  apk: ['apk', 'add'],
} as const
export type PackageManager = keyof typeof managers

export function packageManager(): PackageManager | undefined {
  if (findProgram(['apt-get']) !== undefined) return 'apt'
  if (findProgram(['dnf']) !== undefined) return 'dnf'
  return findProgram(['apk']) === undefined ? undefined : 'apk'
}

/** The command a person would type to install packages here, named per package manager; null where none fits. */
export function installCommand(packages: Partial<Record<PackageManager, readonly string[]>>): string | null {
  const manager = packageManager()
  const names = manager === undefined ? undefined : packages[manager]
  if (manager === undefined || names === undefined) return null
  const sudo = process.getuid?.() === 0 ? [] : ['sudo']
  return [...sudo, ...managers[manager], ...names].join(' ')
}
