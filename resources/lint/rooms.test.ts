import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const refused = [
  ['agent/logs/a.ts', "import { a } from '../../electron/main.ts'"],
  ['agent/logs/b.ts', "import { a } from '../../renderer/app/App.tsx'"],
  ['agent/logs/c.ts', "import { app } from 'electron'"],
  ['electron/fleet/a.ts', "import { a } from '../../agent/agent.ts'"],
  ['electron/fleet/b.ts', "import { a } from '../../renderer/app/App.tsx'"],
  ['electron/fleet/c.ts', "import { ipcMain } from 'electron'"],
  ['electron/fleet/d.ts', "import { ipcRenderer } from 'electron'"],
  ['electron/fleet/e.ts', "import electron from 'electron'"],
  ['renderer/features/fleet/a.ts', "import { a } from '../../../electron/main.ts'"],
  ['renderer/features/fleet/b.ts', "import { a } from '../../../agent/agent.ts'"],
  ['renderer/features/fleet/c.ts', "import { ipcRenderer } from 'electron'"],
  ['renderer/features/fleet/d.ts', "import fs from 'node:fs'"],
  ['shared/domain/a.ts', "import { a } from '../../agent/agent.ts'"],
  ['shared/domain/b.ts', "import { a } from '../../electron/main.ts'"],
  ['shared/domain/c.ts', "import react from 'react'"],
  ['shared/domain/d.ts', "import http from 'node:http'"],
] as const

const allowed = [
  ['agent/logs/ok.ts', "import { Problem } from '../../shared/errors.ts'"],
  ['electron/ipc/ok.ts', "import { ipcMain } from 'electron'"],
  ['electron/preload.ts', "import { ipcRenderer } from 'electron'"],
  ['electron/window.ts', "import { BrowserWindow } from 'electron'"],
  ['renderer/features/fleet/ok.ts', "import type { IpcName } from '../../../shared/ipc.ts'"],
  ['shared/domain/ok.ts', "import { z } from 'zod'"],
  ['shared/client/node.ts', "import http from 'node:http'"],
] as const

/** The files stand in a tree of their own, under the project's rules; these are the ones the linter refuses. */
let found: Set<string>
let folder: string

beforeAll(() => {
  const root = path.resolve(import.meta.dirname, '../..')
  folder = mkdtempSync(path.join(os.tmpdir(), 'rooms-'))
  copyFileSync(path.join(root, 'biome.json'), path.join(folder, 'biome.json'))
  for (const [file, source] of [...refused, ...allowed]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), `${source}\n`)
  }
  const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = [
    'lint',
    '--vcs-enabled=false',
    '--only=style/noRestrictedImports',
    '--reporter=github',
    '--max-diagnostics=none',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [biome, ...args], { cwd: folder, encoding: 'utf8' })
  const lines = (stdout + stderr).split('\n').filter((line) => line.includes('noRestrictedImports'))
  found = new Set(lines.map((line) => path.relative(realpathSync(folder), /file=([^,]+)/.exec(line)?.[1] ?? line)))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(refused)('%s may not say: %s', (file) => {
  expect([...found]).toContain(file)
})

test.each(allowed)('%s may say: %s', (file) => {
  expect([...found]).not.toContain(file)
})
