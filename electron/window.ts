import fs from 'node:fs/promises'
import path from 'node:path'
import { app, BrowserWindow, nativeTheme, protocol, session, type WebContents } from 'electron'
import { appUrl, developmentPolicy, resolveAppFile, responseHeaders } from './app-scheme.ts'
import { appOrigin, isFrom, originOf } from './ipc/sender.ts'
import { minimumSize, restoreBounds } from './window-bounds.ts'

/** The address of the development server; a package never looks for one. */
export const devUrl = app.isPackaged ? undefined : process.env['ELECTRON_RENDERER_URL']
export const allowedOrigins = devUrl === undefined ? [appOrigin] : [appOrigin, originOf(devUrl)]

const background = { dark: '#0e1116', light: '#f6f7f9' }

/** Must run before Electron is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: 'app',
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true, stream: true },
    },
  ])
}

/** Answers for a recording that is being played; undefined for every other address. */
export type ServeRecording = (request: Request) => Promise<Response | undefined>

/** What holds for every page this process ever shows, whoever opens it. */
export function secureSession(rendererFolder: string, serveRecording: ServeRecording): void {
  const ours = session.defaultSession
  ours.protocol.handle('app', async (request) => {
    const film = await serveRecording(request)
    if (film !== undefined) return film
    const served = request.method === 'GET' ? resolveAppFile(request.url, rendererFolder) : undefined
    if (served === undefined) return new Response('There is no such file.', { status: 404 })
    try {
      return new Response(await fs.readFile(served.file), { headers: responseHeaders(served.contentType) })
    } catch {
      return new Response('There is no such file.', { status: 404 })
    }
  })
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
  void window.loadURL(`${devUrl ?? appUrl}${place}`).catch(() => {
    // A page that does not load is reported by did-fail-load, with its reason.
  })
  return window
}
