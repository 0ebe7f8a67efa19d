import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { builtConsole, nodeProgram, projectRoot } from './built.ts'
import { freshFolder } from './folder.ts'
import { onProcessEnd } from './process-end.ts'
import { markedProcesses } from './processes.ts'
import { deathGuard } from './program.ts'
import { until } from './until.ts'
import { startXvfb } from './xvfb.ts'

export interface ConsoleOptions {
  args?: readonly string[]
  env?: NodeJS.ProcessEnv
  /** Data of an earlier run; fresh ones unless told otherwise. */
  userData?: string
  /** Runs it as this user, with Chromium's sandbox on. */
  as?: { uid: number; gid: number }
  /** The folder of the built app; the project's own unless told otherwise. */
  appFolder?: string
  /** Electron's program; the one the set-up chose unless told otherwise. */
  electron?: string
}

export interface TestConsole {
  app: ElectronApplication
  window: Page
  /** Electron's main process. */
  pid: number
  userData: string
  /** Where the console makes its temporary files. */
  tempDir: string
  /** In the environment of every process that comes from this console, wherever in the tree it went. */
  marker: string
  /** What main and the window wrote, for the message of a failed test. */
  output(): string
  /** The ports that exist only because a test drives the window. */
  driverPorts: number[]
  stop(): Promise<void>
}

/** The built console in a real Electron, on a display and with data of its own, driven as a person would. */
export async function startConsole(options: ConsoleOptions = {}): Promise<TestConsole> {
  const electron = options.electron ?? (await builtConsole())
  const xvfb = await startXvfb()
  const { folder, remove } = freshFolder('console')
  const marker = path.basename(folder)
  const inside = (name: string) => {
    const made = path.join(folder, name)
    mkdirSync(made, { mode: 0o700 })
    if (options.as !== undefined) chownSync(made, options.as.uid, options.as.gid)
    return made
  }
  const [userData, tempDir] = [options.userData ?? inside('data'), inside('tmp')]
  const env = {
    ...withoutSession(process.env),
    ...xvfb.env,
    PILOTHOUSE_CHECK_RESULTS: '1',
    PILOTHOUSE_USER_DATA: userData,
    PILOTHOUSE_NODE: nodeProgram,
    PILOTHOUSE_LOG: 'stderr',
    TMPDIR: tempDir,
    HOME: inside('home'),
    XDG_RUNTIME_DIR: inside('run'),
    ...options.env,
  }
  if (options.as !== undefined) {
    chmodSync(folder, 0o755)
    chmodSync(path.dirname(xvfb.env.XAUTHORITY), 0o755)
    chownSync(xvfb.env.XAUTHORITY, options.as.uid, options.as.gid)
  }
  const killRest = () => {
    for (const { pid } of markedProcesses(marker)) process.kill(pid, 'SIGKILL')
  }
  const forget = onProcessEnd(killRest)
  let said = ''
  const note = (text: string) => {
    said = (said + text).slice(-100_000)
  }
  let app: ElectronApplication | undefined
  const stop = async () => {
    await quitOrGiveUp(app)
    killRest()
    await until('everything of the console to be gone', () => markedProcesses(marker).length === 0)
    forget()
    await xvfb.stop()
    remove()
  }
  try {
    app = await _electron.launch({
      timeout: 60_000,
      executablePath: wrapper(folder, electron, options.as),
      args: [options.appFolder ?? projectRoot, ...(options.args ?? [])],
      env: env as Record<string, string>,
      cwd: folder,
      chromiumSandbox: process.getuid?.() !== 0 || options.as !== undefined,
    })
    const { stdout, stderr } = app.process()
    for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => note(chunk.toString()))
    const window = await app.firstWindow({ timeout: 60_000 })
    window.on('console', (message) => note(`[window] ${message.type()} ${message.text()}\n`))
    window.on('pageerror', (error) => note(`[window] ${error.stack ?? error.message}\n`))
    const started = app
    // Main may be busy: Playwright then loses the answer to its own garbage collection, and has to ask again.
    const pid = await until('main to answer', () => started.evaluate(() => process.pid))
    return {
      ...{ app: started, window, pid, userData, tempDir, marker, stop },
      output: () => said,
      driverPorts: await driverPorts(started, userData),
    }
  } catch (error) {
    await stop()
    throw new Error(`The console did not start: ${String(error)}\n${said}`, { cause: error })
  }
}

/** A script between Playwright and Electron, because arguments can only be added behind the program's own. */
function wrapper(folder: string, electron: string, as: ConsoleOptions['as']): string {
  const file = path.join(folder, 'electron.sh')
  // A copy, for a user who may not read the project.
  const hold = path.join(folder, 'hold.cjs')
  copyFileSync(path.join(import.meta.dirname, 'hold-until-driven.cjs'), hold)
  const asUser = as === undefined ? [] : ['setpriv', `--reuid=${as.uid}`, `--regid=${as.gid}`, '--clear-groups']
  writeFileSync(file, `#!/bin/sh\nexec ${[...asUser, ...deathGuard, `'${electron}'`].join(' ')} -r '${hold}' "$@"\n`, {
    mode: 0o755,
  })
  return file
}

/** Nothing of whoever runs the tests: their session bus would lead to their keychain, their settings to their data. */
function withoutSession(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const theirs = /^(PILOTHOUSE_|DBUS_|XDG_|ELECTRON_|WAYLAND_|NODE_OPTIONS$|VITEST)/
  return Object.fromEntries(Object.entries(env).filter(([name]) => !theirs.test(name)))
}

/** Playwright asks Electron for an inspector and for a debugging port. */
async function driverPorts(app: ElectronApplication, userData: string): Promise<number[]> {
  const inspector = await until('the inspector', () => {
    return app.evaluate(() => process.getBuiltinModule('node:inspector').url() ?? '')
  })
  const devTools = readFileSync(path.join(userData, 'DevToolsActivePort'), 'utf8').split('\n')[0]
  return [Number(new URL(inspector).port), Number(devTools)]
}

async function quitOrGiveUp(app: ElectronApplication | undefined): Promise<void> {
  if (app === undefined) return
  const closed = app.close().catch(() => {})
  const patience = new Promise((resolve) => setTimeout(resolve, 20_000).unref())
  await Promise.race([closed, patience])
}
