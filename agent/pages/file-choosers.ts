import type { CdpSession } from '../browser/cdp.ts'
import type { Page } from './page.ts'
import type { PageEvents } from './page-events.ts'

/** A file field that was clicked, and whose dialog is not shown because nobody could see it. */
export interface FileChooser {
  readonly frameId: string
  readonly multiple: boolean
  readonly cdp: CdpSession
  readonly backendNodeId: number
}

/** Which pages wait for a file: each asks until it has one, was refused, or went elsewhere. */
export class FileChoosers {
  readonly #events: PageEvents
  readonly #open = new Map<Page, FileChooser>()

  constructor(events: PageEvents) {
    this.#events = events
  }

  /** Listens to one of the documents of a page; returns what ends it. */
  follow(page: Page, cdp: CdpSession): () => void {
    const stops = [
      cdp.on('Page.fileChooserOpened', (params) => {
        const { frameId, mode, backendNodeId } = params
        // A script that asks without a field has been refused by then, and cannot be given anything.
        if (typeof backendNodeId !== 'number') return
        this.#set(page, { frameId: String(frameId), multiple: mode === 'selectMultiple', cdp, backendNodeId })
      }),
      cdp.on('Page.frameNavigated', ({ frame }) => {
        const { id, parentId } = frame as { id: string; parentId?: string }
        if (parentId === undefined || id === this.of(page)?.frameId) this.drop(page)
      }),
      () => {
        if (this.of(page)?.cdp === cdp) this.drop(page)
      },
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  of(page: Page): FileChooser | null {
    return this.#open.get(page) ?? null
  }

  drop(page: Page): void {
    if (this.#open.delete(page)) this.#tell(page, null)
  }

  /** Whoever clicked is not the one any more who would give it a file. */
  dropAll(): void {
    for (const page of [...this.#open.keys()]) this.drop(page)
  }

  #set(page: Page, chooser: FileChooser): void {
    this.#open.set(page, chooser)
    this.#tell(page, chooser)
  }

  #tell({ id: tabId }: Page, chooser: FileChooser | null): void {
    const told = chooser === null ? null : { multiple: chooser.multiple }
    this.#events.emit({ type: 'file-chooser', tabId, chooser: told })
  }
}
