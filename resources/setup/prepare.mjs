// @ts-check
import { join } from 'node:path'
import { browser } from './browser.mjs'
import { electronRuntime } from './electron-runtime.mjs'
import { withLock } from './lock.mjs'
import { nodeRuntime, pathWithNode } from './node-runtime.mjs'
import { npmPackages } from './npm-packages.mjs'
import { runtimeDir } from './paths.mjs'
import { step } from './progress.mjs'
import { browserComesSeparately, systemPackages } from './system.mjs'

/** Everyone who writes node_modules, .runtime or out holds this. */
export const setupLock = join(runtimeDir, 'setup.lock')

/**
 * @typedef {object} Prepared
 * @property {string} node  a Node of 22.13 or newer
 * @property {import('./electron-runtime.mjs').ElectronRuntime} electron
 * @property {NodeJS.ProcessEnv} env  what everything we start needs to know of the two
 */

/**
 * Brings a fresh clone to where it can run; takes well under a second when nothing is missing.
 * @param {{ for: import('./debian-packages.mjs').Purpose }} purpose
 * @returns {Promise<Prepared>}
 */
export function prepare({ for: purpose }) {
  return withLock(setupLock, async () => {
    // First, because it may need a person; better before the downloads than after.
    if (process.platform === 'linux') await step('System packages', (say) => systemPackages(purpose, say))
    await step('npm packages', npmPackages)
    const node = await step('Node', nodeRuntime)
    if (browserComesSeparately()) await step('Browser', (say) => browser(node, say))
    const electron = await step('Electron', (say) => electronRuntime(node, say))
    const env = {
      ...process.env,
      PATH: pathWithNode(node),
      ELECTRON_OVERRIDE_DIST_PATH: electron.folder,
      PILOTHOUSE_NODE: node,
    }
    return { node, electron, env }
  })
}
