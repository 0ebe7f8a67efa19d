import fs from 'node:fs'
import type { MergedEntry } from '../../shared/ipc-audit.ts'
import type { ConsoleAuditEntry } from './audit.ts'
import type { Store } from './store.ts'

type Format = 'csv' | 'json'

const ownColumns = [
  'id',
  'createdAt',
  'operator',
  'action',
  'sandboxId',
  'result',
  'errorMessage',
  'durationMs',
  'details',
] as const satisfies readonly (keyof ConsoleAuditEntry)[]

const mergedColumns = [
  'source',
  'id',
  'at',
  'operator',
  'action',
  'machineId',
  'result',
  'errorMessage',
  'durationMs',
  'details',
] as const satisfies readonly (keyof MergedEntry)[]

/** Writes the console's whole audit, newest first. Returns how many entries there were. */
export function exportAudit(
  audit: Pick<Store['audit'], 'list'>,
  file: string,
  format: Format,
  pageSize = 500,
): Promise<number> {
  async function* pages() {
    for (let page = audit.list({ limit: pageSize }); page.length > 0; ) {
      yield page
      page = audit.list({ limit: pageSize, before: page.at(-1)?.id })
    }
  }
  return writePages(file, format, ownColumns, pages())
}

/** The same for everyone's. */
export function exportMerged(
  file: string,
  format: Format,
  pages: AsyncIterable<readonly MergedEntry[]>,
): Promise<number> {
  return writePages(file, format, mergedColumns, pages)
}

/** A page at a time, because an export of a million must not stand in memory. */
async function writePages<Row extends object>(
  file: string,
  format: Format,
  columns: readonly (keyof Row & string)[],
  pages: AsyncIterable<readonly Row[]>,
): Promise<number> {
  const target = await fs.promises.open(file, 'w', 0o600)
  let count = 0
  try {
    await target.write(format === 'csv' ? `${columns.join(',')}\n` : '[\n')
    for await (const page of pages) {
      const lines = page.map((row, index) => {
        if (format === 'csv') return `${columns.map((column) => toCsv(row[column])).join(',')}\n`
        return `${count + index === 0 ? '' : ',\n'}${JSON.stringify(row)}`
      })
      count += page.length
      await target.write(lines.join(''))
    }
    if (format === 'json') await target.write('\n]\n')
  } finally {
    await target.close()
  }
  return count
}

function toCsv(value: unknown): string {
  const text = value == null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  // A spreadsheet would run what begins like a formula; some take the wide forms of these signs for the same.
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
