// @ts-check
import { spawnSync } from 'node:child_process'
import { installableNames, missingNeeds, needsFor } from './debian-packages.mjs'
import { SetupFailure } from './failure.mjs'
import { note } from './progress.mjs'
import { run, runAttached } from './run.mjs'

/** dpkg's own placeholders, joined so that nobody takes them for JavaScript's. */
const dpkgFormat = `${['Package', 'db:Status-Abbrev'].map((field) => `$\{${field}}`).join('\\t')}\\n`

const english = { ...process.env, LC_ALL: 'C' }

/**
 * One shell script, so that root and sudo do the same. The policy file keeps packages from starting their services
 * (dockerd, sshd) on someone's machine; one that a killed run of ours left behind is known by its mark.
 */
const installScript = `
policy=/usr/sbin/policy-rc.d
mark='# by pilothouse set-up, removed afterwards'
export DEBIAN_FRONTEND=noninteractive
if [ ! -e $policy ]; then printf '#!/bin/sh\\n%s\\nexit 101\\n' "$mark" > $policy && chmod 755 $policy; fi
tidy() { if grep -qsxF "$mark" $policy; then rm -f $policy; fi; }
trap tidy EXIT
trap 'exit 130' INT TERM HUP
apt-get -o DPkg::Lock::Timeout=180 install -y --no-install-recommends "$@"
`

/**
 * Installs the Debian packages that are missing.
 * @param {import('./debian-packages.mjs').Purpose} purpose
 * @param {boolean} hasBrowser
 * @param {import('./progress.mjs').Say} say
 */
export async function debianPackages(purpose, hasBrowser, say) {
  const missing = () => missingNeeds(needsFor(purpose), installedPackages(purpose), hasBrowser)
  const needs = missing()
  if (needs.length === 0) return
  say(`${needs.length} missing: ${needs.map(({ names }) => names.at(-1)).join(' ')}`)
  const admin = becomeRoot(namesFor(needs))
  // A broken third-party source fails the update; what we need may still be there.
  const update = await admin(['apt-get', '-o', 'DPkg::Lock::Timeout=180', 'update'])
  const names = namesFor(needs)
  const { code, output } = await admin(['sh', '-c', installScript, 'sh', ...names])
  if (code !== 0 || missing().length > 0) {
    throw new SetupFailure('Some Debian packages could not be installed.', {
      output: `${update.code === 0 ? '' : update.output}\n${output}`,
      next: `run it by hand and look at what it says: ${byHand(names)}`,
    })
  }
  say(`${names.length} installed`)
}

/** @param {import('./debian-packages.mjs').Need[]} needs */
function namesFor(needs) {
  const { stdout } = spawnSync('apt-cache', ['policy', ...needs.flatMap(({ names }) => names)], {
    encoding: 'utf8',
    env: english,
  })
  return installableNames(needs, stdout ?? '')
}

/** @param {import('./debian-packages.mjs').Purpose} purpose */
function installedPackages(purpose) {
  const names = needsFor(purpose).flatMap((need) => need.names)
  // It fails when any name is unknown, and still lists the others.
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', dpkgFormat, ...names], {
    encoding: 'utf8',
    env: english,
  })
  return stdout ?? ''
}

/**
 * A way to run commands as root: we are, sudo lets us without a password, or sudo may ask at the terminal.
 * @param {string[]} names
 * @returns {(command: string[]) => Promise<{ code: number, output: string }>}
 */
function becomeRoot(names) {
  if (process.getuid?.() === 0) return ([command = '', ...args]) => run(command, args)
  if (spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0) {
    return (command) => run('sudo', ['-n', ...command])
  }
  if (process.stdin.isTTY && spawnSync('sudo', ['-V'], { stdio: 'ignore' }).status === 0) {
    return async (command) => {
      console.log()
      note('some Debian packages are missing; sudo may ask for your password')
      // In our own process group: a background group could not read the password from the terminal.
      return { code: await runAttached('sudo', command, { detached: false }), output: '' }
    }
  }
  throw new SetupFailure('Some Debian packages are missing, and only root can install them.', { next: byHand(names) })
}

/** @param {string[]} names */
const byHand = (names) => `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(' ')}`
