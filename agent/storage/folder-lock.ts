import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openUnprepared, unusable } from './database.ts'

const askEveryMs = 100
/** What SQLite says of a lock that someone else has. */
const busy = 5

/**
 * Makes a folder this process's own, until it ends in whichever way: a lock of SQLite's is the kernel's, and no file that
 * a dead process leaves. Two agents in one folder would each go on from its own end of the audit, and close what the
 * other has begun; so whoever has it is waited for, and not even looked at meanwhile.
 */
export async function lockFolder(folder: string, waitMs: number): Promise<() => void> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const release = tryLock(path.join(folder, 'agent.lock'))
    if (release !== undefined) return release
    if (performance.now() >= deadline)
      throw new Error(`Another agent uses ${folder}. Stop it, or set PILOTHOUSE_DATA_DIR to another folder.`)
    await sleep(askEveryMs)
  }
}

function tryLock(file: string): (() => void) | undefined {
  const database = openUnprepared(file)
  try {
    fs.chmodSync(file, 0o600)
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: unknown }).errcode === busy) return undefined
    throw unusable(file, error)
  }
  return () => {
    if (database.isOpen) database.close()
  }
}
