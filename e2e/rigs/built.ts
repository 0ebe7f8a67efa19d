import { existsSync } from 'node:fs'
import path from 'node:path'
import { build } from '../../resources/setup/build.mjs'
import { agentBundle, buildAgent } from '../../resources/setup/build-agent.mjs'
import { inRoot, root } from '../../resources/setup/paths.mjs'

export const projectRoot = root

/** The Node that agents run on. */
export const nodeProgram = process.env['PILOTHOUSE_NODE'] ?? inRoot('node_modules', 'node', 'bin', 'node')

/** The folder of the Electron that the set-up chose, or the first that is there. */
export function electronFolder(): string {
  const candidates = [
    process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? '',
    inRoot('.runtime', 'electron-42.0.0-linux-x64'),
    inRoot('node_modules', 'electron', 'dist'),
  ]
  const found = candidates.find((folder) => folder !== '' && existsSync(path.join(folder, 'electron')))
  if (found === undefined) throw new Error('There is no Electron runtime here. `npm test` fetches one.')
  return found
}

let agent: Promise<string> | undefined

/** The agent's bundle, made of the sources as they are now. */
export function builtAgent(): Promise<string> {
  agent ??= buildAgent().then(() => agentBundle)
  return agent
}

/** One of our programs as one file, so that starting it dozens of times does not read hundreds of files each time. */
export async function bundled(entry: string): Promise<string> {
  const { build: bundle } = await import('esbuild')
  const outfile = inRoot('out', 'test', `${path.basename(entry, '.ts')}.mjs`)
  await bundle({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node22' },
    ...{ packages: 'external', logLevel: 'silent' },
  })
  return outfile
}

let console: Promise<string> | undefined

/** The console, built from the sources as they are now; gives Electron's program. */
export function builtConsole(): Promise<string> {
  console ??= (async () => {
    const folder = electronFolder()
    const electron = { folder, program: path.join(folder, 'electron') }
    await build({ node: nodeProgram, electron, env: process.env })
    return electron.program
  })()
  return console
}
