import fs from 'node:fs/promises'
import path from 'node:path'
import { type Host, places } from './inspect-host.ts'
import { asRoot, putFile } from './install-agent.ts'
import type { SshSession } from './ssh-session.ts'

/** What is of no use on a machine: other systems' parts, and what only people read. */
const leftOut = /\.(d\.ts|map|md)$|windows|conpty|LICENSE$/i

/** The agent's native packages as one file; undefined where this console has none. */
export async function packBeside(folder: string): Promise<Uint8Array | undefined> {
  const found = await fs.readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = found.filter((entry) => entry.isFile() && !leftOut.test(entry.name))
  if (files.length === 0) return undefined
  const parts = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name)
      const inside = path.relative(path.dirname(folder), file).split(path.sep).join('/')
      return [inside, (await fs.readFile(file)).toString('base64')] as const
    }),
  )
  return Buffer.from(JSON.stringify(Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1)))))
}

/** Run by the machine's own Node, which is there by then. */
const unpack = `
const fs = require('node:fs'), path = require('node:path')
process.umask(0o022)
const [file] = process.argv.slice(1)
for (const [name, text] of Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')))) {
  const to = path.join(path.dirname(file), 'node_modules', name)
  fs.mkdirSync(path.dirname(to), { recursive: true })
  fs.writeFileSync(to, Buffer.from(text, 'base64'))
}`

/** Puts them where the agent finds them: without, a machine has no terminals. */
export async function putBeside(
  session: SshSession,
  host: Host,
  folder: string,
  ours: { platform: string; arch: string },
): Promise<void> {
  if (host.platform !== ours.platform || host.arch !== ours.arch) return
  const bytes = await packBeside(folder)
  if (bytes === undefined) return
  if ((await putFile(session, host, { target: places.beside, bytes, mode: '0600' })) === 'there') return
  await asRoot(session, host, host.node ?? places.node, '-e', unpack, places.beside)
}
