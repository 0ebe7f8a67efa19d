import fs from 'node:fs'
import type { ConsoleAuditEntry } from './audit.ts'
import type { Store } from './store.ts'

const columns = [
  'id',
  'createdAt',
  'operator',
  'action',
  'sandboxId',
  'result',
  'errorMessage',
  'durationMs',
  'details',
] as const

/**
 * Writes the whole audit, newest first, as CSV or JSON; a page at a time, because an export of a million must not
 * stand in memory. Returns how many entries there were.
 */
export async function exportAudit(
  audit: Pick<Store['audit'], 'list'>,
  file: string,
  format: 'csv' | 'json',
  pageSize = 500,
): Promise<number> {
  const target = await fs.promises.open(file, 'w', 0o600)
  let count = 0
  try {
    await target.write(format === 'csv' ? `${columns.join(',')}\n` : '[\n')
    for (let page = audit.list({ limit: pageSize }); page.length > 0; ) {
      const lines = page.map((entry, index) => {
        if (format === 'csv') return `${toCsv(entry)}\n`
        return `${count + index === 0 ? '' : ',\n'}${JSON.stringify(entry)}`
      })
      count += page.length
      await target.write(lines.join(''))
      page = audit.list({ limit: pageSize, before: page.at(-1)?.id })
    }
    if (format === 'json') await target.write('\n]\n')
  } finally {
    await target.close()
  }
  return count
}

function toCsv(entry: ConsoleAuditEntry): string {
  return columns
    .map((column) => {
      const value = entry[column]
      const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
      // A spreadsheet would run what begins like a formula.
      const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
    })
    .join(',')
}
