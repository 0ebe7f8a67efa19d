import { realpathSync } from 'node:fs'
import { installPackages, realSurroundings } from './install-packages.ts'
import { installService } from './install-service.ts'

export interface InstallFlags {
  yes?: boolean | undefined
  'print-only'?: boolean | undefined
  'package-manager'?: string | undefined
}

/** `install browser | desktop | service`; returns the exit code. */
export function installCommand(target: string | undefined, flags: InstallFlags): Promise<number> {
  const around = realSurroundings()
  const printOnly = flags['print-only'] === true
  if (target === 'browser' || target === 'desktop') {
    const options = { target, yes: flags.yes === true, printOnly, packageManager: flags['package-manager'] } as const
    return installPackages(options, around)
  }
  if (target === 'service') {
    const agent = realpathSync(process.argv[1] ?? '')
    return installService({ printOnly, platform: process.platform, node: process.execPath, agent }, around)
  }
  throw new Error(`"install" takes browser, desktop or service${target === undefined ? '' : `, not "${target}"`}.`)
}
