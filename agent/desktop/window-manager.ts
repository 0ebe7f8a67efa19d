import { setTimeout as sleep } from 'node:timers/promises'
import type { Display } from '../display/display.ts'
import { programEnv } from '../display/display.ts'
import { XConnection } from '../display/x11.ts'
import { findProgram } from '../processes/find-program.ts'
import { type CaredProcess, exitText, spawnCared } from '../processes/spawn-cared.ts'

/** Those that say on the display that they are there; the one that `install desktop` brings comes first. */
const names = ['openbox', 'fluxbox', 'icewm', 'xfwm4', 'marco', 'metacity', 'matchbox-window-manager']
const readyMs = 10_000
const lookMs = 25
const getProperty = 20

export function findWindowManager(): string | undefined {
  return findProgram(names)
}

/** Starts a window manager and waits until it manages; one that does not is ended again. */
export async function startWindowManager(
  program: string,
  display: Display,
  dataDir: string,
  signal: AbortSignal,
): Promise<CaredProcess> {
  const name = program.split('/').at(-1) ?? program
  const env = { ...programEnv(), ...display.env }
  const manager = await spawnCared({ name, program, args: [], env, dataDir })
  try {
    await manages(manager, display, signal)
    return manager
  } catch (error) {
    await manager.end(0)
    throw error
  }
}

async function manages(manager: CaredProcess, display: Display, signal: AbortSignal): Promise<void> {
  const late = Date.now() + readyMs
  const connection = await XConnection.open(display.env)
  try {
    const mark = await connection.atom('_NET_SUPPORTING_WM_CHECK')
    while (!(await hasProperty(connection, mark))) {
      if (!manager.running)
        throw new Error(`${manager.name} ended (${exitText(await manager.exited)}). ${manager.lastLines()}`)
      if (Date.now() > late) throw new Error(`${manager.name} was not ready after ${readyMs / 1000} s.`)
      await sleep(lookMs, undefined, { signal })
    }
  } finally {
    connection.close()
  }
}

async function hasProperty(connection: XConnection, atom: number): Promise<boolean> {
  const body = Buffer.alloc(20)
  body.writeUInt32LE(connection.root, 0)
  body.writeUInt32LE(atom, 4)
  body.writeUInt32LE(1, 16)
  return (await connection.ask(getProperty, 0, body)).readUInt32LE(8) !== 0
}
