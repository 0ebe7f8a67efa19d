import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findWindowManager } from './window-manager.ts'

/** The machine's own window manager; where there is none, a program that says it is one. For tests. */
export function haveWindowManager(dataDir: string, setEnv: (name: string, value: string) => void): void {
  if (findWindowManager() !== undefined) return
  const bin = path.join(dataDir, 'bin')
  mkdirSync(bin, { recursive: true })
  const program = path.join(bin, 'openbox')
  const double = path.join(import.meta.dirname, 'window-manager-double.ts')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${double}"\n`)
  chmodSync(program, 0o755)
  setEnv('PATH', `${bin}:${process.env['PATH']}`)
}
