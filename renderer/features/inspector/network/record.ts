/** Requests from the agent's own record: it listens from the first moment, and keeps the outline. */

import type { CallResult } from '../../../../shared/contract/index.ts'
import { blank, type NetworkRow } from './rows.ts'

export type Recorded = CallResult<'browser.network'>['requests'][number]

export function recordedRow(request: Recorded, key: string): NetworkRow {
  const at = Date.parse(request.timestamp)
  return {
    ...blank,
    ...{ key, url: request.url, method: request.method, status: request.status, failed: request.failed, at },
    requestId: request.requestId ?? '',
    mimeType: request.mimeType ?? '',
    type: request.resourceType ?? typeOfMime(request.mimeType ?? ''),
    size: request.responseSize,
    // The wall clock stands in for the browser's own, which the record does not keep.
    startedAt: at / 1000,
    endedAt: request.duration === null ? null : (at + request.duration) / 1000,
    recorded: true,
  }
}

/** A row whose end was not heard here, as the record has it; undefined where it has no end either. */
export function settledRow(row: NetworkRow, request: Recorded): NetworkRow | undefined {
  if (request.duration === null) return undefined
  if (row.recorded) return { ...recordedRow(request, row.key), sessionId: row.sessionId }
  const begun = Number.isFinite(row.startedAt) ? row.startedAt : row.at / 1000
  return {
    ...row,
    startedAt: begun,
    endedAt: (row.timing?.requestTime ?? begun) + request.duration / 1000,
    status: request.status ?? row.status,
    mimeType: row.mimeType || (request.mimeType ?? ''),
    size: request.responseSize,
    failed: request.failed,
    lost: false,
  }
}

/** Whether the record tells of this row; agents of before told no ids. */
export function isAbout(request: Recorded, row: NetworkRow): boolean {
  const sameMoment = () => request.url === row.url && Date.parse(request.timestamp) === Math.floor(row.at)
  if (request.requestId === undefined || row.requestId === '') return sameMoment()
  return request.requestId === row.requestId && request.url === row.url
}

function typeOfMime(mime: string): string {
  if (mime === 'text/html') return 'Document'
  if (mime === 'text/css') return 'Stylesheet'
  if (mime.startsWith('image/')) return 'Image'
  if (mime.startsWith('font/')) return 'Font'
  if (mime.includes('javascript')) return 'Script'
  return 'Other'
}
