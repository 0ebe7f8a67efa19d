import { app, BrowserWindow, dialog, nativeTheme } from 'electron'
import type { Settings } from '../shared/ipc.ts'
import { claimInstance } from './instance.ts'
import { isFrom } from './ipc/sender.ts'
import { admit, serveIpc, tell } from './ipc/serve.ts'
import { readLaunchOptions } from './launch-options.ts'
import { openLog } from './log.ts'
import { chosenShortcuts, setMenu } from './menu.ts'
import { appPaths } from './paths.ts'
import { onQuit } from './quit.ts'
import { takeScreenshot } from './screenshot.ts'
import { clearIfWanted } from './store/begin-anew.ts'
import { type OpenedDatabase, openDatabase } from './store/open.ts'
import { setAsideKey, settingsTable } from './store/settings.ts'
import { allowedOrigins, devUrl, registerAppScheme, secureSession } from './window.ts'
import { Windows } from './windows.ts'

/** Longer than any page takes to ask for what it begins with. */
const beginningMs = 1000

const launch = readLaunchOptions(process.argv, process.env)
if (launch.userData !== undefined) app.setPath('userData', launch.userData)
// Each window asks for the sandbox itself; this makes it certain, where the person did not turn it off for all.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
registerAppScheme()

const instance = claimInstance(app.getPath('userData'), bringToFront)
if (instance !== undefined) start(instance.release)
else app.quit()

function start(release: () => void): void {
  const paths = appPaths()
  const developer = !app.isPackaged
  clearIfWanted(app.getPath('userData'), paths)
  const log = openLog(paths.logs, { echo: developer && process.env['PILOTHOUSE_LOG'] === 'stderr' })
  const opened = openStoreOrExplain(paths.store)
  if (opened === undefined) return
  const { setAside, takenAlong } = opened
  // All that the first window needs of the store; the rest of it comes with the rest of main.
  const settings = settingsTable(opened.connection)
  if (setAside !== undefined) {
    log('warn', 'the store was damaged and begins anew', { setAside, takenAlong })
    settings.set(setAsideKey, setAside)
  }

  const screenshot =
    launch.screenshot === undefined
      ? undefined
      : takeScreenshot(launch.screenshot, () => BrowserWindow.getAllWindows()[0])
  const onLivePicture = () => screenshot?.livePictureShown()
  const kept = chosenShortcuts(settings.get('shortcuts'))
  const onSettings = ({ shortcuts }: Settings) => setMenu(toFocused, { developer, shortcuts })
  const windows = new Windows({
    preload: paths.preload,
    settings,
    opened: (window) => {
      admit(window.webContents)
      watch(window)
    },
  })
  const page = Promise.withResolvers<void>()
  const loading = app
    .whenReady()
    .then(() => openWindows())
    // A page that asks main for nothing, or failed, must not keep main from its work.
    .then(() => void setTimeout(page.resolve, devUrl === undefined ? beginningMs : 0))
    // Main reads its own rest while the window's process starts, and while its page reads what it was given: in two
    // parts, because in between main has to hand it over.
    .then(() => import('../shared/ipc.ts'))
    .then(() => page.promise)
    .then(() => import('./console.ts'))
    .then(({ createConsole }) =>
      createConsole({ opened, log, paths, launch, developer, onLivePicture, onSettings, windows }),
    )
  serveIpc(
    loading.then((console) => console.dispatch),
    allowedOrigins,
  )
  loading.catch((error: unknown) => {
    log('error', 'the console did not start', { error: String(error) })
    dialog.showErrorBox('Pilothouse did not start', String(error))
    app.exit(1)
  })

  const quit = onQuit(async () => {
    windows.quitting()
    await (await loading).close()
    release()
  }, log)
  void screenshot?.done.then((code) => quit(code))

  app.on('activate', () => {
    if (app.isReady() && BrowserWindow.getAllWindows().length === 0) openWindows()
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })

  let prepared = false
  function openWindows(): void {
    if (!prepared) {
      secureSession({
        renderer: paths.renderer,
        recording: async (request) => (await loading).serveRecording(request),
        onBegun: page.resolve,
      })
      setMenu(toFocused, { developer, shortcuts: kept })
      const theme = settings.get('theme')
      if (theme === 'dark' || theme === 'light') nativeTheme.themeSource = theme
    }
    prepared = true
    // Told to show one thing, the console shows that and leaves the other windows of the last run for the next time.
    windows.restore(launch.open === 'demo' || launch.screenshot !== undefined)
  }

  function watch(window: BrowserWindow): void {
    const tell = () => {
      const visible = BrowserWindow.getAllWindows().some((one) => one.isVisible() && !one.isMinimized())
      void loading.then((console) => console.setVisible(visible))
    }
    for (const event of ['show', 'hide', 'minimize', 'restore', 'closed'] as const) window.on(event as 'show', tell)
    window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
      log('error', 'a window crashed', { reason, exitCode })
      if (reason !== 'clean-exit' && !window.isDestroyed()) window.reload()
    })
    window.webContents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
      log('error', 'a page did not load', { code, description, url, isMainFrame })
    })
    window.webContents.on('preload-error', (_event, file, error) => {
      log('error', 'the preload failed', { file, error: String(error) })
    })
  }
}

/** What is chosen in the menu happens in the window that it was chosen in. */
function toFocused(command: Parameters<Parameters<typeof setMenu>[0]>[0]): void {
  const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0]
  if (window !== undefined) tell(window.webContents, 'command', { command })
}

function bringToFront(): void {
  const window = BrowserWindow.getAllWindows().find(({ webContents }) => isFrom(webContents.getURL(), allowedOrigins))
  if (window === undefined) return
  if (window.isMinimized()) window.restore()
  window.focus()
}

function openStoreOrExplain(file: string): OpenedDatabase | undefined {
  try {
    return openDatabase(file)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    process.stderr.write(`Pilothouse cannot open its data: ${detail}\n`)
    dialog.showErrorBox('Pilothouse cannot open its data', detail)
    app.exit(1)
    return undefined
  }
}
