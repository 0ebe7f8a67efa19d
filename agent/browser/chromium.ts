import { execFile } from 'node:child_process'
import { existsSync, readdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../processes/find-program.ts'
import { unreachableArgs } from './unreachable.ts'
import { coveringSize } from './window.ts'

/** Where Chromium is, and how it is started. */

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']

/** The Chromium to start; `PILOTHOUSE_CHROMIUM` comes first and alone. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const told = env['PILOTHOUSE_CHROMIUM']
  if (told !== undefined && told !== '') return findProgram([told], env['PATH'])
  return findProgram(names, env['PATH']) ?? (process.platform === 'darwin' ? findMacChromium() : undefined)
}

function findMacChromium(): string | undefined {
  const apps = ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome']
  const folders = ['/Applications', path.join(os.homedir(), 'Applications')]
  const installed = folders.flatMap((folder) => apps.map((app) => path.join(folder, app)))
  return findProgram([...installed, ...playwrightBuilds()])
}

/** What Playwright downloaded, the newest first. */
function playwrightBuilds(): string[] {
  const cache = path.join(os.homedir(), 'Library', 'Caches', 'ms-playwright')
  const insides = ['chrome-mac', 'chrome-mac-arm64', 'chrome-mac-x64'].flatMap((folder) => [
    path.join(folder, 'Chromium.app/Contents/MacOS/Chromium'),
    path.join(folder, 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing'),
  ])
  try {
    return readdirSync(cache)
      .filter((name) => /^chromium-\d+$/.test(name))
      .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
      .flatMap((name) => insides.map((inside) => path.join(cache, name, inside)))
  } catch {
    return []
  }
}

export interface ChromiumOptions {
  profileDir: string
  url: string
  width: number
  height: number
  dpi: number
  /** `own`: the whole of a display of ours; `window`: on a person's desktop; `headless`: nowhere. */
  screen: 'own' | 'window' | 'headless'
  sandbox: boolean
  /** Of the agent's own way out; undefined where Chromium has a proxy to ask. */
  egressPorts: readonly number[] | undefined
}

export function chromiumArgs(options: ChromiumOptions): string[] {
  const scale = options.dpi / 96
  const size = `${Math.round(options.width / scale)},${Math.round(options.height / scale)}`
  const args = [
    `--user-data-dir=${options.profileDir}`,
    // Loopback, a port of Chromium's own choice, and its own check of Origin and Host left on.
    '--remote-debugging-port=0',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-client-side-phishing-detection',
    '--disable-search-engine-choice-screen',
    '--metrics-recording-only',
    '--password-store=basic',
    '--use-mock-keychain',
    // A crash dump holds what the page held.
    '--disable-breakpad',
    '--disable-crash-reporter',
    '--hide-crash-restore-bubble',
    '--disable-session-crashed-bubble',
    '--noerrdialogs',
    // A page that closes the last tab must not end the browser with it.
    '--keep-alive-for-test',
    // A page that comes back from this cache loads nothing, and automation waits for its load in vain.
    '--disable-back-forward-cache',
    '--disable-features=Translate,MediaRouter,DialMediaRouteProvider,OptimizationHints,AutofillServerCommunication',
    ...unreachableArgs(options.egressPorts),
    `--force-device-scale-factor=${scale}`,
  ]
  if (!options.sandbox) args.push('--no-sandbox')
  if (sharedMemoryIsSmall()) args.push('--disable-dev-shm-usage')
  if (options.screen === 'headless') {
    const pixels = [options.width, options.height] as const
    // The page alone, on a screen as large as it was asked for. An older Chromium knows the first way only.
    args.push('--headless=new', '--kiosk', `--window-size=${size}`)
    args.push(`--ozone-override-screen-size=${pixels.join(',')}`, `--screen-info={${pixels.join('x')}}`)
  }
  if (options.screen === 'window') args.push(`--window-size=${size}`)
  if (options.screen === 'own') {
    const { width, height } = coveringSize(options)
    // Kiosk: the page alone, since tabs and address stand in the console.
    args.push('--kiosk', '--window-position=0,0', `--window-size=${width},${height}`)
  }
  return [...args, options.url]
}

/** Below this, pages crash for want of shared memory; containers have 64 MB unless told otherwise. */
const smallSharedMemory = 512 * 1024 * 1024

function sharedMemoryIsSmall(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize < smallSharedMemory
  } catch {
    return true
  }
}

/** Only what a browser needs. The agent's own environment holds its secret; a folder of its own is its home. */
export function chromiumEnv(homeDir: string, display: Record<string, string>): NodeJS.ProcessEnv {
  const passed = /^(PATH|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR))$/i
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name)))
  if (process.platform === 'darwin') return { ...env, HOME: os.homedir() }
  return {
    ...env,
    HOME: homeDir,
    XDG_CONFIG_HOME: path.join(homeDir, '.config'),
    XDG_CACHE_HOME: path.join(homeDir, '.cache'),
    // Otherwise a message bus is started for the display, and stays.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    ...display,
  }
}

/** Why Chromium's own sandbox cannot be used here; null when it can. */
export async function sandboxObstacle(program: string): Promise<string | null> {
  if (process.platform !== 'linux') return null
  if (process.getuid?.() === 0) return 'the agent runs as root: run it as an ordinary user'
  const helpers = [path.dirname(realpathSync(program)), '/usr/lib/chromium', '/usr/lib64/chromium-browser']
  if (helpers.some((dir) => isSetuidRoot(path.join(dir, 'chrome-sandbox')))) return null
  try {
    await promisify(execFile)('unshare', ['--user', '--map-root-user', 'true'], { timeout: 5000 })
    return null
  } catch {
    return 'user namespaces are turned off: install chromium-sandbox, or allow them'
  }
}

function isSetuidRoot(file: string): boolean {
  if (!existsSync(file)) return false
  const { uid, mode } = statSync(file)
  return uid === 0 && (mode & 0o4000) !== 0
}
