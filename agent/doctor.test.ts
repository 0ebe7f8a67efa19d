import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { doctorReport } from './doctor.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ph-doctor-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

const report = (env: NodeJS.ProcessEnv = {}) => {
  const settings = { PILOTHOUSE_DATA_DIR: folder, ...env }
  const capabilities = {
    docker: { available: false, detail: 'there is none', install: 'apt-get install docker.io' },
    pty: { available: true, detail: 'ready', install: null },
  }
  return doctorReport(readConfig(settings), { docker: undefined, capabilities } as never, settings)
}

test('what is missing comes with the command that installs it', () => {
  expect(report()).toContain('  ✗ docker       there is none\n      install it with: apt-get install docker.io\n')
  expect(report()).toMatch(/✓ pty +ready\n$/)
})

test('a secret that would not do is not called one, and no secret is shown', () => {
  const file = path.join(folder, 'secret')
  expect(report()).toMatch(/✗ secret +there is none\n +make one with: pilothouse-agent secret/)
  fs.writeFileSync(file, `${'s'.repeat(31)}\n`)
  expect(report()).toMatch(/✗ secret +.*fewer than 32 bytes\n +make one with/)
  fs.writeFileSync(file, `${'s'.repeat(32)}\n`)
  expect(report()).toContain(`✓ secret       from ${file}`)
  const told = report({ PILOTHOUSE_SECRET: 'canary'.repeat(8) })
  expect(told).toMatch(/✓ secret +from PILOTHOUSE_SECRET\n/)
  expect(told).not.toContain('canary')
  // The agent takes what it is told over what the file has.
  for (const short of ['', 'canary', ` ${'s'.repeat(31)} `]) {
    expect(report({ PILOTHOUSE_SECRET: short })).toMatch(
      /✗ secret +PILOTHOUSE_SECRET has fewer than 32 bytes\n +make one/,
    )
  }
})

test('a secret that every user of the machine can read is told of, with the command that mends it', () => {
  // The folder for temporary files is a user's own on some systems; this one is everybody's.
  fs.rmSync(folder, { recursive: true })
  folder = fs.mkdtempSync('/tmp/ph-doctor-')
  const file = path.join(folder, 'secret')
  fs.writeFileSync(file, 's'.repeat(32))
  fs.chmodSync(file, 0o644)
  // Behind a closed door it may be open.
  fs.chmodSync(folder, 0o700)
  expect(report()).toContain(`✓ secret       from ${file}`)
  fs.chmodSync(folder, 0o755)
  expect(report()).toContain(
    `✗ secret       every user of this machine can read ${file}\n      make it yours with: chmod 600`,
  )
  fs.chmodSync(file, 0o640)
  expect(report()).toContain(`✓ secret       from ${file}`)
})
