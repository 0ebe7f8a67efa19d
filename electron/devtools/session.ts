import { type Session, session } from 'electron'

/** Chromium's own front end as it comes with this program: nothing of it is fetched from a machine or a server. */
const frontEnd = 'devtools://devtools/bundled/'
/** The address behind `ws` is never connected to; see port-socket.ts. */
export const frontEndUrl = `${frontEnd}devtools_app.html?ws=pilothouse/page`

let made: Session | undefined

/**
 * The session of DevTools windows: in memory, so that nothing a page says is kept, without the console's own scheme,
 * and with no way out but the port that main gives it.
 */
export function devToolsSession(): Session {
  if (made !== undefined) return made
  made = session.fromPartition('devtools', { cache: false })
  made.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !details.url.startsWith(frontEnd) && !/^(data|blob):/.test(details.url) })
  })
  // What a person copies in the front end goes through this; it cannot read.
  const allowed = (permission: string) => permission === 'clipboard-sanitized-write'
  made.setPermissionRequestHandler((_contents, permission, answer) => answer(allowed(permission)))
  made.setPermissionCheckHandler((_contents, permission) => allowed(permission))
  made.setDevicePermissionHandler(() => false)
  made.on('will-download', (event) => event.preventDefault())
  return made
}
