import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/**
 * Whether a value that was just given to the keychain can be read in one of its files. GNOME's keyring does
 * that when its password is empty: everything in it is then open to whoever has the disk.
 */
export async function standsInPlainFile(value: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const home = env['HOME'] ?? os.homedir()
  const folder = path.join(env['XDG_DATA_HOME'] ?? path.join(home, '.local', 'share'), 'keyrings')
  const names = await fs.readdir(folder).catch(() => [])
  for (const name of names.filter((name) => name.endsWith('.keyring'))) {
    const content = await fs.readFile(path.join(folder, name)).catch(() => undefined)
    if (content?.includes(value)) return true
  }
  return false
}
