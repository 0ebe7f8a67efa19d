import { chmodSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { builtConsole, electronFolder, nodeProgram, projectRoot } from './built.ts'
import { freshFolder } from './folder.ts'
import { runProgram } from './program.ts'

/** The built console where another user can run it. */
export interface ReachableApp {
  appFolder: string
  electron: string
  node: string
  remove(): void
}

/** What the built console needs of the project, besides Electron and Node. */
const parts = [
  'package.json',
  'out',
  'resources/demo',
  'resources/icons',
  'node_modules/better-sqlite3',
  'node_modules/@napi-rs',
]

/** The project itself if the user may read it; otherwise a copy, because a clone may be in a private folder. */
export async function reachableApp(uid: number, gid: number): Promise<ReachableApp> {
  const electron = await builtConsole()
  const asUser = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const mayRead = (file: string) =>
    runProgram('setpriv', [...asUser, 'cat', file]).then(
      () => true,
      () => false,
    )
  const needed = [electronFile('version'), path.join(projectRoot, 'package.json')]
  if ((await Promise.all(needed.map(mayRead))).every(Boolean)) {
    return { appFolder: projectRoot, electron, node: nodeProgram, remove: () => {} }
  }
  const { folder, remove } = freshFolder('app')
  chmodSync(folder, 0o755)
  const copy = (from: string, name: string) => {
    const to = path.join(folder, name)
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 })
    if (existsSync(from)) cpSync(from, to, { recursive: true })
    return to
  }
  for (const part of parts) copy(path.join(projectRoot, part), part)
  return {
    appFolder: folder,
    electron: path.join(copy(electronFolder(), 'electron'), 'electron'),
    node: copy(nodeProgram, 'node/bin/node'),
    remove,
  }
}

function electronFile(name: string): string {
  return path.join(electronFolder(), name)
}
