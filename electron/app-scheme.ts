import path from 'node:path'
import { appOrigin } from './ipc/sender.ts'

/** Our pages come from a scheme of our own: `file:` would give them more than they need. */
export const appUrl = `${appOrigin.protocol}//${appOrigin.host}/`

/**
 * Films of machines, which main fetches as they are played. They have a scheme of their own, because ours is served
 * from files without a line of main's.
 */
export const recordingsScheme = 'recording'
export const recordingsUrl = `${recordingsScheme}://film/`

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** Only our own files run and only main is spoken to. Style attributes are how components place a pop-up. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  `media-src ${recordingsScheme}:`,
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** For the development server: hot reload needs a socket and inline styles, and its client an inline script. */
export function developmentPolicy(devUrl: string): string {
  const { host } = new URL(devUrl)
  return contentSecurityPolicy
    .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace("connect-src 'self'", `connect-src 'self' ws://${host}`)
}

/** The names of the files without which a page of ours does not begin: its scripts, and the styles that those wait for. */
export function beginningsOf(html: string): string[] {
  const tags = html.matchAll(/<(?:script[^>]*\ssrc|link[^>]*\srel="stylesheet"[^>]*\shref)="([^"]+)"/g)
  return [...tags].map(([, source = '']) => path.posix.basename(source))
}

export interface ServedFile {
  file: string
  contentType: string
}

/** The file a URL of our scheme stands for; undefined for everything outside the folder and of unknown kind. */
export function resolveAppFile(url: string, root: string): ServedFile | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host, pathname, username, password, port } = new URL(url)
  if (protocol !== appOrigin.protocol || host !== appOrigin.host || username || password || port) return undefined
  const relative = decode(pathname === '/' ? '/index.html' : pathname)
  if (relative === undefined || /[\0\\]/.test(relative)) return undefined
  const file = path.resolve(root, `.${relative}`)
  if (!file.startsWith(path.resolve(root) + path.sep)) return undefined
  const contentType = types[path.extname(file).toLowerCase()]
  return contentType === undefined ? undefined : { file, contentType }
}

export function responseHeaders(contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}

function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return undefined
  }
}
