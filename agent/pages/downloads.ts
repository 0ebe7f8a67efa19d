import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { keptText } from '../../shared/domain/kept-text.ts'
import type { CdpConnection, CdpParams } from '../browser/cdp.ts'
import type { PageEvents } from './page-events.ts'

/** How many downloads are remembered, to tell a navigation that became one. */
const kept = 100

export interface Download {
  id: string
  frameId: string
  url: string
  filename: string
}

/** What the pages download, into the folder of their context. */
export class Downloads {
  readonly #cdp: CdpConnection
  readonly #events: PageEvents
  readonly #begun: Download[] = []
  #folder: string | null = null

  constructor(cdp: CdpConnection, events: PageEvents) {
    this.#cdp = cdp
    this.#events = events
    cdp.on('Browser.downloadWillBegin', (params) => this.#begins(params))
    cdp.on('Browser.downloadProgress', (params) => this.#progress(params))
  }

  async allow(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
    const behavior = { behavior: 'allow', downloadPath: folder, eventsEnabled: true }
    await this.#cdp.send('Browser.setDownloadBehavior', behavior)
  }

  /** How many have begun so far: what `since` takes. */
  get count(): number {
    return this.#total
  }
  #total = 0

  /** The download that one of these frames has begun since then. */
  find(frameId: string, since: number): Download | undefined {
    const fresh = Math.min(this.#total - since, this.#begun.length)
    return fresh === 0 ? undefined : this.#begun.slice(-fresh).find((download) => download.frameId === frameId)
  }

  #begins(params: CdpParams): void {
    const download = {
      id: String(params['guid']),
      frameId: String(params['frameId']),
      url: keptText(String(params['url']), 4096),
      filename: keptText(String(params['suggestedFilename']), 500),
    }
    this.#total++
    this.#begun.push(download)
    if (this.#begun.length > kept) this.#begun.shift()
    const { id, url, filename } = download
    this.#events.emit({ type: 'download', id, url, filename, state: 'started', receivedBytes: 0 })
  }

  #progress(params: CdpParams): void {
    if (params['state'] === 'inProgress') return
    const download = this.#begun.find((one) => one.id === params['guid'])
    if (download === undefined) return
    const { id, url, filename } = download
    const receivedBytes = Number(params['receivedBytes'])
    const told = { type: 'download', id, url, filename, receivedBytes } as const
    if (params['state'] !== 'completed') this.#events.emit({ ...told, state: 'cancelled' })
    else this.#events.emit({ ...told, state: 'completed', path: this.#placeOf(params['filePath'], filename) })
  }

  /** Chromium says where it lies, which may have another name than was suggested; old ones do not. */
  #placeOf(said: unknown, filename: string): string | null {
    if (typeof said === 'string' && said !== '') return said
    return this.#folder === null ? null : path.join(this.#folder, path.basename(filename))
  }
}
