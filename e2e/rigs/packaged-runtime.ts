import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { electronFolder, projectRoot } from './built.ts'

/** In the order in which Electron has them behind its sentinel; named as electron-builder.yml names them. */
const fuseOrder = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
] as const
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** What electron-builder.yml says of each fuse. */
export function configuredFuses(): Record<string, boolean> {
  const text = readFileSync(path.join(projectRoot, 'electron-builder.yml'), 'utf8')
  const block = /^electronFuses:\n((?: {2}.*\n)+)/m.exec(text)?.[1] ?? ''
  return Object.fromEntries(
    [...block.matchAll(/^ {2}(\w+): (true|false)$/gm)].map(([, name, on]) => [name, on === 'true']),
  )
}

/** A copy of the runtime as a package would have it: these fuses set, and an app in its archive. */
export function packagedRuntime(folder: string, fuses: Record<string, boolean>, app: Record<string, string>): string {
  mkdirSync(folder, { recursive: true })
  cpSync(electronFolder(), folder, { recursive: true })
  const program = path.join(folder, 'electron')
  const bytes = readFileSync(path.join(electronFolder(), 'electron'))
  const at = bytes.indexOf(sentinel) + sentinel.length
  for (const [place, name] of fuseOrder.entries()) {
    const set = fuses[name]
    // Two bytes of version and length come first; then a character for each.
    if (set !== undefined) bytes[at + 2 + place] = (set ? '1' : '0').charCodeAt(0)
  }
  writeFileSync(program, bytes, { mode: 0o755 })
  writeFileSync(path.join(folder, 'resources', 'app.asar'), archive(app))
  return program
}

/** Electron's archive: a header with each file's place, then the files. */
function archive(files: Record<string, string>): Buffer {
  let offset = 0
  const entries = Object.entries(files).map(([name, text]) => {
    const entry = [name, { size: Buffer.byteLength(text), offset: String(offset) }] as const
    offset += Buffer.byteLength(text)
    return entry
  })
  const header = Buffer.from(JSON.stringify({ files: Object.fromEntries(entries) }))
  const padded = Math.ceil(header.length / 4) * 4
  const sizes = Buffer.alloc(16)
  for (const [place, value] of [4, padded + 8, padded + 4, header.length].entries())
    sizes.writeUInt32LE(value, place * 4)
  return Buffer.concat([
    sizes,
    header,
    Buffer.alloc(padded - header.length),
    Buffer.from(Object.values(files).join('')),
  ])
}
