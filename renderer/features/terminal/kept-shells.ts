/**
 * Which shells the windows of this console hold. A window that crashed, or a console that was killed, finds its shells
 * again by this, as long as their machine keeps them.
 */
const storageKey = 'pilothouse.shells'
/** More are not open at once; what is older was never cleaned up. */
const atMost = 50

interface KeptShell {
  machineId: string
  shellId: string
}

const lockOf = (shellId: string) => `pilothouse.shell.${shellId}`

export function parseShells(text: string | null): KeptShell[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(kept) ? kept.filter(isShell) : []
  } catch {
    return []
  }
}

function isShell(one: unknown): one is KeptShell {
  const { machineId, shellId } = (one ?? {}) as Partial<Record<keyof KeptShell, unknown>>
  return typeof machineId === 'string' && typeof shellId === 'string'
}

const read = () => parseShells(localStorage.getItem(storageKey))

function write(shells: readonly KeptShell[]): void {
  localStorage.setItem(storageKey, JSON.stringify(shells.slice(-atMost)))
}

/** Notes a shell as this window's for as long as the window lives; returns the way to say that it is over. */
export function keepShell(machineId: string, shellId: string): () => void {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  // Let go of by the window's end as well, whatever way it ends.
  void navigator.locks.request(lockOf(shellId), { ifAvailable: true }, () => over).catch(() => {})
  write([...read().filter((one) => one.shellId !== shellId), { machineId, shellId }])
  return () => {
    forgetShell(shellId)
    end()
  }
}

export function forgetShell(shellId: string): void {
  write(read().filter((one) => one.shellId !== shellId))
}

/** The shells of a machine whose window is gone. */
export async function orphanedShells(machineId: string): Promise<string[]> {
  const { held = [] } = await navigator.locks.query()
  const names = new Set(held.map(({ name }) => name))
  return read()
    .filter((one) => one.machineId === machineId && !names.has(lockOf(one.shellId)))
    .map(({ shellId }) => shellId)
}
