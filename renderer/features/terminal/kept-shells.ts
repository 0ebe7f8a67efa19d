import { call } from '../../app/bridge.ts'

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

export const readShells = () => parseShells(localStorage.getItem(storageKey))

function write(shells: readonly KeptShell[]): void {
  note(storageKey, shells.slice(-atMost))
}

export function note(key: string, value: unknown): void {
  localStorage.setItem(key, JSON.stringify(value))
  // Left alone, it is on the disk some seconds later, and a console that is killed before has never known of it.
  void call('terminal.noted', {}).catch(() => {})
}

/** Notes a shell as this window's for as long as the window lives; returns the way to say that it is over. */
export function keepShell(machineId: string, shellId: string): () => void {
  const held = hold(shellId)
  write([...readShells().filter((one) => one.shellId !== shellId), { machineId, shellId }])
  return () => {
    forget(shellId)
    void held.then((letGo) => letGo?.())
  }
}

/** A shell of a window that is gone; it is this window's now, until it is said to be over. */
export interface FoundShell {
  shellId: string
  forget: () => void
}

/** Takes the shells of a machine whose window is gone, so that no other window takes them as well. */
export async function takeOrphans(machineId: string, most: number): Promise<FoundShell[]> {
  const kept = readShells().filter((one) => one.machineId === machineId)
  const taken: FoundShell[] = []
  for (const { shellId } of kept) {
    if (taken.length >= most) break
    const letGo = await hold(shellId)
    if (letGo === undefined) continue
    const over = () => {
      forget(shellId)
      letGo()
    }
    taken.push({ shellId, forget: over })
  }
  return taken
}

function forget(shellId: string): void {
  write(readShells().filter((one) => one.shellId !== shellId))
}

/** Returns the way to let go, which the window's end is as well, whatever way it ends; undefined if another has it. */
function hold(shellId: string): Promise<(() => void) | undefined> {
  const { promise: over, resolve: letGo } = Promise.withResolvers<void>()
  return new Promise((resolve) => {
    const held = (lock: Lock | null) => {
      resolve(lock === null ? undefined : letGo)
      return lock === null ? undefined : over
    }
    navigator.locks.request(lockOf(shellId), { ifAvailable: true }, held).catch(() => resolve(undefined))
  })
}
