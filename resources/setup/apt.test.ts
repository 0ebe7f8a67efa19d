import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

let bin = ''
beforeEach(() => {
  bin = mkdtempSync(path.join(os.tmpdir(), 'apt-'))
  vi.stubEnv('PATH', bin)
  vi.resetModules()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(bin, { recursive: true, force: true })
})

const program = (name: string, script: string) =>
  writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

/** A Debian on which nothing of ours is installed and everything can be. */
async function onFreshDebian(): Promise<{ message: string; next: string }> {
  vi.spyOn(process, 'getuid').mockReturnValue(1000)
  program('dpkg-query', 'exit 1')
  program('apt-cache', 'shift; for name in "$@"; do printf "%s:\\n  Candidate: 1.0\\n" "$name"; done')
  const { debianPackages } = await import('./apt.mjs')
  return debianPackages('start', false, () => {}).then(
    () => ({ message: '', next: '' }),
    (error: { message: string; next?: string }) => ({ message: error.message, next: error.next ?? '' }),
  )
}

test('an ordinary user without sudo is told the exact command, and nothing is tried', async () => {
  program('apt-get', `echo tried > ${bin}/tried`)
  const { message, next } = await onFreshDebian()
  expect(message).toContain('only root can install them')
  expect(next).toMatch(/^sudo apt-get update && sudo apt-get install -y --no-install-recommends (\S+ )+\S+$/)
  for (const name of ['xvfb', 'chromium', 'libnss3', 'tigervnc-standalone-server'])
    expect(next.split(' ')).toContain(name)
  expect(() => rmSync(path.join(bin, 'tried'))).toThrow()
})
