import path from 'node:path'
import type { Capability } from '../../shared/contract/machine.ts'
import type { EngineName } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { EngineKind } from './engine.ts'
import { magnitude } from './magnitude.ts'
import { stagehand } from './stagehand.ts'

export type EngineRegistry = Record<EngineName, EngineKind>

/** Which engines there are: a new one is one file and a line here. */
export const engineKinds: EngineRegistry = { stagehand, magnitude }

/** Loads an engine's library, or says how to install it. */
export async function loadEngine(kind: EngineKind): Promise<void> {
  try {
    await kind.load()
  } catch (error) {
    if (!isMissing(error))
      throw new Problem('engine-failed', `${kind.name} cannot be loaded: ${(error as Error).message}`)
    const install = installCommand([kind.package])
    throw new Problem('install-required', `${kind.name} is not installed. Run: ${install}`, { installCommand: install })
  }
}

/** Which engines can be used here. Looks only whether they are there: loading them takes seconds. */
export function inspectEngines(kinds: EngineRegistry = engineKinds): Capability {
  const all = Object.values(kinds)
  const missing = all.filter((kind) => !isInstalled(packageName(kind)))
  const there = all.filter((kind) => !missing.includes(kind)).map(({ name }) => name)
  const install = missing.length === 0 ? null : installCommand(missing.map((kind) => kind.package))
  if (there.length === 0) return { available: false, detail: 'No engine library is installed.', install }
  const lacks = missing.length === 0 ? '' : `; not installed: ${missing.map(({ name }) => name).join(', ')}`
  return { available: true, detail: `${there.join(', ')}${lacks}`, install }
}

function packageName(kind: EngineKind): string {
  return kind.package.replace(/(?<=.)@.*$/, '')
}

export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}

export function installCommand(packages: readonly string[]): string {
  const beside = path.dirname(process.argv[1] ?? '')
  return `npm install --ignore-scripts --prefix ${JSON.stringify(beside)} ${packages.join(' ')}`
}
