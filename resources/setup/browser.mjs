// @ts-check
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { SetupFailure } from './failure.mjs'
import { inRoot } from './paths.mjs'
import { run } from './run.mjs'

const onMac = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The path of a program on PATH. @param {string} name */
export function findProgram(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

/** A Chrome or Chromium the machine has, other than Debian's own package. */
export function findBrowser() {
  if (process.platform === 'darwin') {
    const app = [...onMac, ...onMac.map((path) => join(homedir(), path))].find((path) => existsSync(path))
    if (app) return app
  }
  const named = ['google-chrome', 'google-chrome-stable', 'chrome', 'chromium-browser'].map(findProgram).find(Boolean)
  return named ?? playwrightBrowser()
}

function playwrightBrowser() {
  const cache =
    process.env.PLAYWRIGHT_BROWSERS_PATH ??
    (process.platform === 'darwin'
      ? join(homedir(), 'Library/Caches/ms-playwright')
      : join(homedir(), '.cache/ms-playwright'))
  const found = existsSync(cache) && readdirSync(cache).find((name) => /^chromium-\d+$/.test(name))
  return found ? join(cache, found) : undefined
}

/**
 * Makes sure of a browser where the system has no package for it: macOS, and Ubuntu, whose chromium is a snap.
 * @param {string} node
 * @param {import('./progress.mjs').Say} say
 */
export async function browser(node, say) {
  if (findBrowser() ?? findProgram('chromium')) return
  say('fetching Chromium through Playwright')
  const { code, output } = await run(node, [inRoot('node_modules', 'playwright', 'cli.js'), 'install', 'chromium'])
  if (code !== 0) {
    throw new SetupFailure('There is no Chrome or Chromium here, and Playwright could not fetch one.', {
      output,
      next: 'install Google Chrome or Chromium, then run this again',
    })
  }
}
