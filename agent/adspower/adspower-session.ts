import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import { CdpConnection } from '../browser/cdp.ts'
import { readVersion } from '../browser/devtools.ts'
import { Heartbeat } from '../browser/heartbeat.ts'
import { type Session, type SessionOptions, unheard } from '../browser/session.ts'
import { OpenPages } from '../pages/open-pages.ts'
import { openStartPage } from '../pages/start-page.ts'
import type { AdsPowerProfiles } from './profiles.ts'

/** A browser that AdsPower says it has started answers within this. */
const readyMs = 15_000
const goneMs = 5000

/** Opens a profile in AdsPower and attaches to its browser, which stays AdsPower's to run and to end. */
export async function startAdsPowerSession(
  profiles: AdsPowerProfiles,
  { profileId, dataDir }: { profileId: string; dataDir: string },
  options: SessionOptions,
  signal: AbortSignal,
): Promise<Session> {
  const ended = new AbortController()
  const port = await profiles.start(profileId, options.headless).catch(async (error: unknown) => {
    // It may run although its answer was of no use.
    await profiles.stop(profileId).catch(() => {})
    throw error
  })
  let cdp: CdpConnection | undefined
  let pages: OpenPages | undefined
  const stop = async () => {
    ended.abort()
    try {
      await profiles.stop(profileId)
    } catch {
      // AdsPower is gone or refuses: the browser itself can still be asked to go.
      await cdp?.send('Browser.close', {}, { timeoutMs: goneMs }).catch(() => {})
    }
    await pages?.close()
    cdp?.close()
  }
  try {
    const devTools = await findBrowser(port, signal)
    cdp = await CdpConnection.connect(devTools.browserUrl)
    // Ids are AdsPower's: what does not fit a folder's name is left out of it.
    const downloads = path.join(dataDir, 'adspower', profileId.replace(/[^\w-]/g, '_'), 'Downloads')
    mkdirSync(downloads, { recursive: true, mode: 0o700 })
    pages = await OpenPages.open(devTools.browserUrl, downloads)
    if (options.url !== 'about:blank') await openStartPage(await pages.openTab(false), options.url, signal)
    signal.throwIfAborted()
    const { width, height, dpi } = options
    const heartbeat = new Heartbeat({ cdp, display: null }, ended.signal, options.pulse)
    return {
      sandboxId: randomUUID(),
      startedAt: new Date().toISOString(),
      options,
      resolution: { width, height, dpi },
      display: null,
      devTools,
      cdp,
      pages,
      processes: [],
      warnings: ['The window is AdsPower’s: width, height and dpi of the start have no effect.'],
      heartbeat,
      broken: Promise.race([
        cdp.closed.then(() => 'The browser of the AdsPower profile ended by itself.'),
        heartbeat.stopped,
        unheard(pages, cdp),
      ]),
      resize: async () => {},
      stop,
    }
  } catch (error) {
    await stop()
    throw Problem.from(error, 'start-failed')
  }
}

async function findBrowser(port: number, signal: AbortSignal): Promise<{ port: number; browserUrl: string }> {
  const deadline = Date.now() + readyMs
  for (;;) {
    try {
      const { webSocketDebuggerUrl } = await readVersion(port)
      // Of what the browser reports only the path is used: host and port are the ones that were asked.
      const at = /\/devtools\/browser\/[\w-]+$/.exec(String(webSocketDebuggerUrl))?.[0]
      if (at !== undefined) return { port, browserUrl: `ws://127.0.0.1:${port}${at}` }
    } catch {
      // Not yet.
    }
    if (Date.now() > deadline)
      throw new Problem('start-failed', `The browser of the AdsPower profile does not answer on port ${port}.`)
    await sleep(100, undefined, { signal })
  }
}
