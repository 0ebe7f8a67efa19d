import fs from 'node:fs'
import path from 'node:path'

const marker = 'clear-everything'

/** Said before the console ends; done by the next start, when nothing of it is open. */
export function clearAtNextStart(userData: string): void {
  fs.writeFileSync(path.join(userData, marker), '', { mode: 0o600 })
}

/**
 * Removes everything this console keeps in files if a person wanted that. The local agent's folder is a machine's own
 * and stays. The marker goes last: a start that is killed here is done again.
 */
export function clearIfWanted(
  userData: string,
  { store, logs, pictures }: { store: string; logs: string; pictures: string },
): boolean {
  if (!fs.existsSync(path.join(userData, marker))) return false
  const name = path.basename(store)
  for (const file of fs.readdirSync(path.dirname(store)))
    if (file.startsWith(name) && file !== `${name}.lock`) fs.rmSync(path.join(path.dirname(store), file))
  for (const folder of [logs, pictures]) fs.rmSync(folder, { recursive: true, force: true })
  fs.rmSync(path.join(userData, marker))
  return true
}
