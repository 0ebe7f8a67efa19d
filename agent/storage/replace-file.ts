import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { Problem } from '../../shared/errors.ts'

export interface ReplaceOptions {
  /** For a file that is not there yet; one that is keeps its mode and owner. */
  mode?: number
  /** Takes no notice of what is there: follows no link, and keeps neither mode nor owner. */
  fresh?: boolean
  /** Asked right before the new file takes the old one's place; what it throws leaves the old one. */
  check?: () => Promise<void>
}

const maxLinks = 40

/** The file behind a symbolic link, which need not exist yet: a write goes there, and the link stays. */
export async function behindLinks(file: string): Promise<string> {
  let current = path.resolve(file)
  for (let hops = 0; hops < maxLinks; hops++) {
    const link = await fs.readlink(current).catch(() => undefined)
    if (link === undefined) return current
    const named = path.isAbsolute(link) ? link : `${await fs.realpath(path.dirname(current))}/${link}`
    // The folder is asked where it is, not its name: ".." behind a linked folder leads out of where that one leads to.
    const folder = await fs.realpath(path.dirname(named)).catch(() => undefined)
    if (folder === undefined) {
      throw new Problem(
        'conflict',
        `${file} is a symbolic link into a folder that is not there: ${path.dirname(named)}. Make it, or correct the link.`,
      )
    }
    current = path.join(folder, path.basename(named))
  }
  throw new Problem('conflict', `${file} is a symbolic link that leads nowhere. Correct the link.`)
}

/**
 * Gives a file another content: whatever happens, at whichever byte, it has its old content or its new one. Written
 * beside it, synced, renamed, and the folder synced, so that the name itself survives a power cut.
 */
export async function replaceFile(file: string, content: Uint8Array, options: ReplaceOptions = {}): Promise<void> {
  const target = options.fresh === true ? path.resolve(file) : await behindLinks(file)
  const temporary = path.join(path.dirname(target), `${path.basename(target)}.${randomBytes(8).toString('hex')}.new`)
  try {
    await removeLeftovers(target)
    await writeBeside(target, temporary, content, options)
    await options.check?.()
    await fs.rename(temporary, target)
    await syncFolder(path.dirname(target))
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {})
    throw explain(error, target)
  }
}

async function writeBeside(
  target: string,
  temporary: string,
  content: Uint8Array,
  { mode = 0o600, fresh = false }: ReplaceOptions,
): Promise<void> {
  const old = fresh ? undefined : await statIfThere(target)
  if (old !== undefined && !old.isFile()) {
    throw new Problem('conflict', `${target} is not a plain file. Remove it, or set another path.`)
  }
  const handle = await fs.open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    const made = await handle.stat()
    if (old !== undefined && (old.uid !== made.uid || old.gid !== made.gid)) await handle.chown(old.uid, old.gid)
    // After the owner: a change of owner takes bits away.
    await handle.chmod(old === undefined ? mode : old.mode & 0o7777)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function statIfThere(file: string) {
  try {
    return await fs.stat(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** An agent that was killed in the middle left a copy of the secrets; it goes with the next write. */
async function removeLeftovers(target: string): Promise<void> {
  const folder = path.dirname(target)
  const start = `${path.basename(target)}.`
  for (const name of await fs.readdir(folder)) {
    const rest = name.startsWith(start) ? name.slice(start.length) : ''
    if (/^[0-9a-f]{16}\.new$/.test(rest)) await fs.rm(path.join(folder, name), { force: true })
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Some file systems cannot sync a folder, and do not need to.
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await handle.close()
  }
}

function explain(error: unknown, target: string): unknown {
  const kept = 'The old content is untouched.'
  const folder = path.dirname(target)
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new Problem('storage-full', `There is no space left in ${folder}. ${kept} Free some, then try again.`)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Problem(
        'forbidden',
        `The agent may not replace ${target}. ${kept} Let its user write in ${folder} and own the file, or run the agent as its owner.`,
      )
    case 'EBUSY':
    case 'EXDEV':
      return new Problem(
        'conflict',
        `${target} is mounted by itself, so that it cannot be replaced safely. ${kept} Mount its folder instead.`,
      )
    case 'ENOENT':
    case 'ENOTDIR':
      return new Problem('conflict', `The folder ${folder} does not exist. Make it, or set another path.`)
    default:
      return error
  }
}
