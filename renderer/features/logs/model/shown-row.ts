import type { Highlights } from './highlights.ts'
import { flag, type LineStore } from './line-store.ts'
import type { Row } from './protocol.ts'
import type { ViewRow } from './view.ts'

/** What is drawn of one row; the rest of it is read in a download. */
export const maxRowChars = 2000

/** A row as the window draws it. */
export function shownRow({ serial, sub, text, start }: ViewRow, store: LineStore, highlights: Highlights): Row {
  const flags = store.flags(serial)
  const match = (flags & flag.match) !== 0
  const json = (flags & flag.json) !== 0 && sub === 0
  const kind = (flags & flag.mark) !== 0 ? 'mark' : start < 0 ? 'json' : sub === 0 ? 'line' : 'more'
  const shown = text.length > maxRowChars ? `${text.slice(0, maxRowChars)}…` : text
  const hits = match ? highlights.of(serial, store, shown, start) : []
  return {
    ...{ serial, sub, kind, text: shown, hits, match },
    time: store.time(serial),
    level: store.level(serial),
    source: store.source(serial),
    fold: !json ? 'none' : (flags & flag.open) !== 0 ? 'open' : 'closed',
  }
}
