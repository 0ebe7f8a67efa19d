import { readFileSync } from 'node:fs'
import path from 'node:path'
import { app, BrowserWindow, nativeTheme, protocol, session, type WebContents } from 'electron'
import {
  appUrl,
  beginningsOf,
  developmentPolicy,
  recordingsScheme,
  resolveAppFile,
  responseHeaders,
} from './app-scheme.ts'
import { appOrigin, isFrom, originOf } from './ipc/sender.ts'
import { plainText } from './plain-text.ts'
import { minimumSize, restoreBounds } from './window-bounds.ts'

/** The address of the development server; a package never looks for one. */
export const devUrl = app.isPackaged ? undefined : process.env['ELECTRON_RENDERER_URL']
export const allowedOrigins = devUrl === undefined ? [appOrigin] : [appOrigin, originOf(devUrl)]

/** Chromium's ERR_FILE_NOT_FOUND. */
const fileNotFound = -6

const titleLength = 120

const background = { dark: '#0e1116', light: '#f6f7f9' }

/** Must run before Electron is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
    { scheme: recordingsScheme, privileges: { standard: true, secure: true, stream: true } },
  ])
}

/** Answers for a recording that is being played. */
export type ServeRecording = (request: Request) => Promise<Response>

export interface Served {
  renderer: string
  recording: ServeRecording
  /** The first page has asked for all the files that it begins with. */
  onBegun: () => void
}

/** What holds for every page this process ever shows, whoever opens it. */
export function secureSession({ renderer, recording, onBegun }: Served): void {
  const ours = session.defaultSession
  const notAsked = new Set(pageFiles(renderer))
  // Chromium reads the file itself: `handle`, which is to take the place of this, takes every byte through main, which
  // is busy with its own start just then, and reads Node's fetch first.
  ours.protocol.registerFileProtocol('app', ({ method, url }, answer) => {
    const served = method === 'GET' ? resolveAppFile(url, renderer) : undefined
    if (served === undefined) return answer({ error: fileNotFound })
    answer({ path: served.file, headers: responseHeaders(served.contentType) })
    if (notAsked.delete(path.basename(served.file)) && notAsked.size === 0) onBegun()
  })
  ours.protocol.handle(recordingsScheme, recording)
  // Full screen is for the live view; everything else a page could ask for, ours never does.
  ours.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(permission === 'fullscreen' && isFrom(details.requestingUrl, allowedOrigins))
  })
  ours.setPermissionCheckHandler((_contents, permission, origin) => {
    return permission === 'fullscreen' && isFrom(origin, allowedOrigins)
  })
  ours.setDevicePermissionHandler(() => false)
  ours.on('will-download', (event) => event.preventDefault())
  if (devUrl !== undefined) {
    const policy = developmentPolicy(devUrl)
    ours.webRequest.onHeadersReceived({ urls: [`${new URL(devUrl).origin}/*`] }, (details, respond) => {
      respond({ responseHeaders: { ...details.responseHeaders, 'content-security-policy': [policy] } })
    })
  }
  app.on('web-contents-created', (_event, contents) => confine(contents))
}

function pageFiles(renderer: string): string[] {
  try {
    return beginningsOf(readFileSync(path.join(renderer, 'index.html'), 'utf8'))
  } catch {
    // In development it comes from a server.
    return []
  }
}

/** No page goes anywhere, opens anything or holds another page. */
function confine(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  if (app.isPackaged) contents.on('devtools-opened', () => contents.closeDevTools())
}

export interface WindowOptions {
  preload: string
  keptBounds: unknown
  screens: Parameters<typeof restoreBounds>[1]
  /** What it shows first, as a hash; nothing is the fleet. */
  place: string
}

/** Opens a window of the console; its page is loading when this returns. */
export function openWindow({ preload, keptBounds, screens, place }: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...restoreBounds(keptBounds, screens),
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
    title: 'Pilothouse',
    autoHideMenuBar: true,
    // Shown at once, in the colour that its page will have: whoever started it sees that it comes.
    backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
    ...(process.platform === 'linux' && { icon: path.join(app.getAppPath(), 'resources', 'icons', 'icon.png') }),
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      devTools: !app.isPackaged,
    },
  })
  window.on('page-title-updated', (event, title) => {
    // It names a machine, and stands among those of other programs.
    event.preventDefault()
    window.setTitle(plainText(title, titleLength))
  })
  void window.loadURL(`${devUrl ?? appUrl}${place}`).catch(() => {
    // A page that does not load is reported by did-fail-load, with its reason.
  })
  return window
}
