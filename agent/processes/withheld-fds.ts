import type { StdioOptions } from 'node:child_process'
import { openSync } from 'node:fs'

/**
 * File descriptors that no program of ours may inherit. Node closes its own at exec; the terminals' are opened by
 * node-pty, which does not, so a browser or a command would hold, and could read, every terminal that is open.
 */
const withheld = new Set<number>()
let nothing: number | undefined

/** Keeps a descriptor from programs started later; returns what lifts it, for when it is closed. */
export function withhold(fd: number): () => void {
  withheld.add(fd)
  return () => withheld.delete(fd)
}

export function listWithheld(): number[] {
  return [...withheld]
}

/** The same standard streams, with /dev/null in the place of each descriptor that is withheld. */
export function withheldFds(stdio: ('ignore' | 'pipe')[]): StdioOptions {
  if (withheld.size === 0) return stdio
  nothing ??= openSync('/dev/null', 'r')
  const places: ('ignore' | 'pipe' | number)[] = [...stdio]
  for (const fd of withheld) {
    while (places.length < fd) places.push('ignore')
    if (fd >= stdio.length) places[fd] = nothing
  }
  return places
}
