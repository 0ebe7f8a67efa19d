// @ts-check
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { SetupFailure } from './failure.mjs'
import { note } from './progress.mjs'

/**
 * Chromium's switch for its sandbox. Root cannot have one; anyone else must, unless they decline it themselves.
 * @param {import('./electron-runtime.mjs').ElectronRuntime} electron
 * @param {boolean} declined  --no-sandbox was given
 * @returns {string[]}
 */
export function sandboxSwitch(electron, declined) {
  if (process.platform !== 'linux') return declined ? ['--no-sandbox'] : []
  if (process.getuid?.() === 0) {
    note('running as root, so without the browser sandbox')
    return ['--no-sandbox']
  }
  if (declined) return ['--no-sandbox']
  const helper = join(electron.folder, 'chrome-sandbox')
  if (isSetuidRoot(helper) || hasUserNamespaces()) return []
  throw new SetupFailure('This system gives ordinary users no namespaces, and Electron needs them for its sandbox.', {
    next: [
      'let Electron use its helper instead:',
      `  sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
      'or, if you accept to run without the sandbox: npm start -- --no-sandbox',
    ].join('\n'),
  })
}

/** @param {string} file */
function isSetuidRoot(file) {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && found.uid === 0 && (found.mode & 0o4000) !== 0
}

/** Trying is the only sure way: kernels, containers and AppArmor each have their own switch for it. */
function hasUserNamespaces() {
  return spawnSync('unshare', ['--user', '--map-root-user', 'true'], { stdio: 'ignore' }).status === 0
}
