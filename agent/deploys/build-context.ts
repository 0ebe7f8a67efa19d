import fs from 'node:fs'
import path from 'node:path'
import { Problem } from '../../shared/errors.ts'

/**
 * The folder as a tar stream, without what `.dockerignore` names. It is read from the moment the stream is made: whoever
 * makes it must listen for errors at once.
 */
export async function buildContext(folder: string, dockerfile: string): Promise<() => NodeJS.ReadableStream> {
  if (!fs.existsSync(path.join(folder, dockerfile))) {
    throw new Problem('conflict', `There is no ${dockerfile} in ${folder}. Correct "build" in services.json.`)
  }
  const [{ default: tar }, { default: createIgnore }] = await Promise.all([
    import('tar-fs'),
    import('@balena/dockerignore'),
  ])
  const rules = readRules(path.join(folder, '.dockerignore'))
  const ignore = createIgnore({ ignorecase: false }).add(rules)
  // The builder needs these two whatever the rules say.
  const needed = new Set([path.normalize(dockerfile), '.dockerignore'])
  // A folder that a later rule takes back in part must still be entered.
  const hasExceptions = /^\s*!/m.test(rules)
  const isLeftOut = (name: string) => {
    const relative = path.relative(folder, name)
    if (relative === '' || needed.has(relative) || !ignore.ignores(relative)) return false
    const isFolder = fs.lstatSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false
    const holdsNeeded = isFolder && [...needed].some((file) => file.startsWith(`${relative}${path.sep}`))
    return !(isFolder && (hasExceptions || holdsNeeded))
  }
  // Pipes and devices have nothing that could be copied.
  return () => tar.pack(folder, { ignore: isLeftOut, strict: false })
}

function readRules(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
