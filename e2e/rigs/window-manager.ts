import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findWindowManager } from '../../agent/desktop/window-manager.ts'
import { projectRoot } from './built.ts'

/** A search path with the machine's own window manager; where there is none, with a program that says it is one. */
export function pathWithWindowManager(folder: string): string {
  const usual = process.env['PATH'] ?? ''
  if (findWindowManager() !== undefined) return usual
  const bin = path.join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const program = path.join(bin, 'openbox')
  const double = path.join(projectRoot, 'agent', 'desktop', 'window-manager-double.ts')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${double}"\n`)
  chmodSync(program, 0o755)
  return `${bin}:${usual}`
}
