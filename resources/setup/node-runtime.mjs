// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { SetupFailure } from './failure.mjs'
import { npm } from './npm-packages.mjs'
import { inRoot, machinePath } from './paths.mjs'
import { run } from './run.mjs'

/** Below this, better-sqlite3 crashes and Electron's installer refuses to run. */
const oldest = [22, 13]

const packaged = inRoot('node_modules', 'node', 'bin', 'node')

/**
 * The Node that runs the agent, the builds and the tests: the one from npm, or the machine's own when it is new enough.
 * @param {import('./progress.mjs').Say} say
 * @returns {Promise<string>} the path of the program
 */
export async function nodeRuntime(say) {
  let version = versionOf(packaged)
  if (!version) {
    // npm 11 skips install scripts that are not allowed by name, and `ignore-scripts` skips all of them.
    say('fetching Node')
    await npm(['rebuild', 'node', '--ignore-scripts=false'])
    version = versionOf(packaged) ?? (await runInstaller())
  }
  if (version && isNewEnough(version)) {
    say(version)
    return packaged
  }
  for (const candidate of machineNodes()) {
    const own = versionOf(candidate)
    if (!own || !isNewEnough(own)) continue
    say(`${own}, the machine's own`)
    return candidate
  }
  throw new SetupFailure('No Node 22.13 or newer: the one from npm was not put in place, and the machine has none.', {
    next: 'allow install scripts (`npm config get ignore-scripts` should say false), remove node_modules, run this again',
  })
}

/** PATH with our Node first, for programs that start `node` by name. @param {string} node */
export const pathWithNode = (node) => `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`

/** @param {string} version like v24.9.0 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/** @param {string} node */
function versionOf(node) {
  if (!existsSync(node)) return undefined
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return status === 0 ? stdout.trim() : undefined
}

async function runInstaller() {
  const folder = inRoot('node_modules', 'node')
  if (!existsSync(join(folder, 'installArchSpecificPackage.js'))) return undefined
  await run(process.execPath, ['installArchSpecificPackage.js'], {
    cwd: folder,
    env: { ...process.env, PATH: machinePath() },
  })
  return versionOf(packaged)
}

function machineNodes() {
  const onPath = machinePath()
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'node'))
  return [process.execPath, ...onPath]
}
