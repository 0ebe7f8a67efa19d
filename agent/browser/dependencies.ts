import { findDisplayPrograms } from '../display/display.ts'
import { findSharingProgram } from '../display/existing-display.ts'
import { findProgram } from '../processes/find-program.ts'
import { findChromium } from './chromium.ts'

/** What a browser needs that is not on this machine, and the command that brings it. */
export interface Missing {
  missingDependencies: string[]
  installCommand: string | null
}

type Part = 'chromium' | 'display'

const packages = {
  'apt-get': {
    command: 'apt-get install -y --no-install-recommends',
    chromium:
      'chromium chromium-sandbox libnss3 libatk-bridge2.0-0 libdrm2 libxcomposite1 libxdamage1 libxrandr2 libgbm1 libasound2 libpangocairo-1.0-0 libgtk-3-0',
    display: 'tigervnc-standalone-server',
  },
  dnf: { command: 'dnf install -y', chromium: 'chromium', display: 'tigervnc-server-minimal' },
  apk: { command: 'apk add', chromium: 'chromium nss', display: 'tigervnc' },
} as const

/** Whether this kind of machine shows its browser on a display of the agent's own. */
export function usesDisplay(headless: boolean): boolean {
  return !headless && process.platform === 'linux'
}

export function findMissing(headless = false, existingDisplay?: string): Missing {
  const parts: Part[] = []
  if (findChromium() === undefined) parts.push('chromium')
  const canShow = existingDisplay === undefined ? findDisplayPrograms() !== null : findSharingProgram() !== null
  if (usesDisplay(headless) && !canShow) parts.push('display')
  return {
    missingDependencies: parts.map((part) =>
      part === 'display' ? (existingDisplay === undefined ? 'Xvnc' : 'x0vncserver') : part,
    ),
    installCommand: parts.length === 0 ? null : installCommand(parts),
  }
}

function installCommand(parts: readonly Part[]): string | null {
  if (process.platform === 'darwin') return 'brew install --cask chromium'
  // An emptied PATH must not hide the package manager: the command is for a person's shell.
  const searchPath = `${process.env['PATH'] ?? ''}:/usr/bin:/sbin:/usr/sbin`
  const manager = (['apt-get', 'dnf', 'apk'] as const).find((name) => findProgram([name], searchPath) !== undefined)
  if (manager === undefined) return null
  const { command, ...lists } = packages[manager]
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  return `${sudo}${command} ${parts.map((part) => lists[part]).join(' ')}`
}
