/** Where a window's page may come from: our own scheme, or the development server. */
export interface Origin {
  readonly protocol: string
  readonly host: string
}

export const appOrigin: Origin = { protocol: 'app:', host: 'pilothouse' }

export function originOf(url: string): Origin {
  const { protocol, host } = new URL(url)
  return { protocol, host }
}

/** Compared part by part: `URL.origin` is "null" for a scheme of our own. */
export function isFrom(url: string, origins: readonly Origin[]): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = originOf(url)
  return origins.some((origin) => origin.protocol === protocol && origin.host === host)
}

interface FrameLike {
  readonly url: string
}

/** What of Electron's event says who is asking. */
export interface SenderLike {
  readonly senderFrame: FrameLike | null
  readonly sender: { readonly id: number; readonly mainFrame: FrameLike }
}

/** Only the main frame of one of our windows, showing our page. */
export function isOurs(event: SenderLike, windowIds: ReadonlySet<number>, origins: readonly Origin[]): boolean {
  const { senderFrame, sender } = event
  if (senderFrame === null || senderFrame !== sender.mainFrame) return false
  return windowIds.has(sender.id) && isFrom(senderFrame.url, origins)
}
