// @ts-check
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { SetupFailure } from './failure.mjs'
import { inRoot, machinePath, root } from './paths.mjs'
import { run } from './run.mjs'
import { hashText, matchesStamp, writeStamp } from './stamp.mjs'

const stampFile = inRoot('node_modules', '.pilothouse-packages')

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage */
/** @typedef {{ packages?: Record<string, LockedPackage & Record<string, unknown>> }} LockFile */

/** Installs the npm packages when they are missing or not the locked ones. @param {import('./progress.mjs').Say} say */
export async function npmPackages(say) {
  const manifest = readJson('package.json')
  const lockText = readFileSync(inRoot('package-lock.json'), 'utf8')
  const stamp = hashText(JSON.stringify(dependencyFields(manifest)) + lockText)
  const installed = existsSync(inRoot('node_modules', '.package-lock.json'))
  if (installed && matchesStamp(stampFile, stamp)) return
  // Someone's own `npm install` leaves no stamp of ours; what it installed counts all the same.
  if (installed && isInstalled(JSON.parse(lockText), readJson('node_modules/.package-lock.json'), manifest)) {
    return writeStamp(stampFile, stamp)
  }
  await install(say, JSON.parse(lockText))
  await runInstallScripts(say, allowedScripts(manifest))
  say('installed')
  writeStamp(stampFile, stamp)
}

/**
 * npm with the machine's own Node, whatever started this script.
 * @param {string[]} args
 * @param {{ onLine?: (line: string) => boolean | void, env?: NodeJS.ProcessEnv }} [options]
 */
export function npm(args, { onLine, env } = {}) {
  const own = { ...process.env, PATH: machinePath(), ...env }
  return run('npm', args, { cwd: root, env: own, ...(onLine ? { onLine } : {}) })
}

/** @param {import('./progress.mjs').Say} say @param {LockFile} lock */
async function install(say, lock) {
  const total = Object.keys(lock.packages ?? {}).length - 1
  let fetched = 0
  const watch = (/** @type {string} */ line) => {
    if (!/^npm http /.test(line)) return true
    fetched += 1
    if (fetched % 10 === 0) say(`installing, ${Math.min(fetched, total)} of about ${total}`)
    return false
  }
  // No install scripts here: which of them run must not depend on the version of npm.
  const options = [
    '--ignore-scripts',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--engine-strict=false',
    '--loglevel=http',
  ]
  say(`installing ${total}`)
  let { code, output } = await npm(['ci', ...options], { onLine: watch })
  if (code !== 0 && lacksOnlyOptional(output, lock)) {
    // Installs the locked versions just the same, and leaves package-lock.json as it is. Like `npm ci` from nothing:
    // npm would take a package that an interrupted run left half unpacked for a whole one.
    rmSync(inRoot('node_modules'), { recursive: true, force: true })
    ;({ code, output } = await npm(['install', '--no-save', ...options], { onLine: watch }))
  }
  if (code !== 0) {
    throw new SetupFailure('npm could not install the packages.', {
      output,
      next: output.includes('are in sync')
        ? 'run `npm install`, which brings package-lock.json up to date, then this again'
        : 'look at the message above; when the network or the registry was away, run this again',
    })
  }
}

/**
 * Runs the install scripts package.json allows, and no other: better-sqlite3's, for one, would compile what the
 * package already brings along.
 * @param {import('./progress.mjs').Say} say
 * @param {string[]} names
 */
async function runInstallScripts(say, names) {
  // Node first, for the others then run on it. Whether it is any good, the next step finds out.
  if (names.includes('node')) {
    say('fetching Node')
    await npm(['rebuild', 'node', '--ignore-scripts=false'])
  }
  const others = names.filter((name) => name !== 'node' && existsSync(inRoot('node_modules', name)))
  if (others.length === 0) return
  say(`setting up ${others.join(', ')}`)
  const headers = inRoot('node_modules', 'node', 'node_modules', `node-${process.platform}-${process.arch}`)
  // Native parts are compiled against the headers in that package; the download of others may be blocked.
  const env = existsSync(`${headers}/include/node/node.h`) ? { npm_config_nodedir: headers } : {}
  const { code, output } = await npm(['rebuild', ...others, '--ignore-scripts=false'], { env })
  if (code !== 0) {
    throw new SetupFailure(`The install scripts of ${others.join(', ')} failed.`, {
      output,
      next: 'look at the message above; a missing compiler is often the cause',
    })
  }
}

/** The packages whose install scripts package.json allows. @param {Record<string, unknown>} manifest */
export function allowedScripts(manifest) {
  const entries = Object.entries(/** @type {Record<string, boolean>} */ (manifest.allowScripts ?? {}))
  // A key may name a version: "esbuild@0.28.2", "@scope/tool@1".
  return entries.filter(([, allowed]) => allowed).map(([key]) => key.replace(/(?<=.)@.*$/, ''))
}

/**
 * Whether `npm ci` refused only because packages for other platforms are not locked. A registry that does not have
 * them makes npm leave them out of the lock file, and then refuse that very file (npm/cli#9846).
 * @param {string} output
 * @param {LockFile} lock
 */
export function lacksOnlyOptional(output, lock) {
  if (!output.includes('are in sync') || /^npm error Invalid: /m.test(output)) return false
  const optional = new Set(
    Object.values(lock.packages ?? {}).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {})),
  )
  const missing = [...output.matchAll(/^npm error Missing: (.+)@\S* from lock file/gm)].map(([, name]) => name ?? '')
  return missing.length > 0 && missing.every((name) => optional.has(name))
}

/**
 * Whether what npm recorded in node_modules is what the lock file asks for. Optional packages may be absent: they
 * are for other platforms.
 * @param {LockFile} lock
 * @param {LockFile} hidden  node_modules/.package-lock.json
 * @param {Record<string, unknown>} manifest
 */
export function isInstalled(lock, hidden, manifest) {
  const asked = dependencyFields(lock.packages?.[''] ?? {})
  if (JSON.stringify(asked) !== JSON.stringify(dependencyFields(manifest))) return false
  return Object.entries(lock.packages ?? {}).every(([path, wanted]) => {
    if (path === '' || wanted.link) return true
    const found = hidden.packages?.[path]
    if (!found) return wanted.optional === true
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

/** @param {Record<string, unknown>} manifest */
function dependencyFields(manifest) {
  return ['dependencies', 'devDependencies', 'optionalDependencies'].map((field) =>
    Object.entries(/** @type {Record<string, string>} */ (manifest[field] ?? {})).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(inRoot(path), 'utf8'))
}
