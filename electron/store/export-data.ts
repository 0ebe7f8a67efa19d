import fs from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** So much is gathered before it is written, and the window gets its turn in between. */
const chunkChars = 256 * 1024

/** Writes all of it as one JSON file, row by row: an export of years must not stand in memory. Returns its size. */
export async function exportData(
  file: string,
  about: { version: string; at: string },
  rows: Iterable<{ table: string; row: Record<string, unknown> }>,
): Promise<number> {
  const target = await fs.promises.open(file, 'w', 0o600)
  let waiting = `{"pilothouse":${JSON.stringify(about.version)},"exportedAt":${JSON.stringify(about.at)},"tables":{`
  let current: string | undefined
  try {
    for (const { table, row } of rows) {
      if (table === current) waiting += ',\n'
      else waiting += `${current === undefined ? '' : '\n],'}\n${JSON.stringify(table)}: [\n`
      current = table
      waiting += JSON.stringify(readable(row))
      if (waiting.length < chunkChars) continue
      await target.write(waiting)
      waiting = ''
    }
    await target.write(`${waiting}${current === undefined ? '' : '\n]'}\n}}\n`)
    return (await target.stat()).size
  } finally {
    await target.close()
  }
}

/** What is packed or JSON inside a column is opened, so that whoever reads the file can read it. */
function readable(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, open(value)]))
}

function open(value: unknown): unknown {
  try {
    if (value instanceof Uint8Array) return JSON.parse(gunzipSync(value).toString()) as unknown
    if (typeof value === 'string' && /^[[{]/.test(value)) return JSON.parse(value) as unknown
  } catch {
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
  }
  return value
}
