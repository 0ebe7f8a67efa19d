import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

test('what the page about the SDK shows can be typed in as it stands', () => {
  const text = readFileSync(path.join(import.meta.dirname, 'contract.md'), 'utf8')
  // A piece with something left out is about the contract's own files, not for typing in.
  const pieces = [...text.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code = '']) => code)
    .filter((code) => !code.includes('…'))
  expect(pieces).toHaveLength(1)
  const folder = path.join(root, 'out', 'test', `sdk-page-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const code = pieces.join('\n').replaceAll("from './shared/", "from '../../../shared/")
    writeFileSync(path.join(folder, 'page.ts'), `${code}\nconsole.log(status.state)\nstop()\nexport {}\n`)
    const config = path.join(folder, 'tsconfig.json')
    const only = { compilerOptions: { incremental: false }, include: ['page.ts'], exclude: [] }
    writeFileSync(config, JSON.stringify({ extends: '../../../tsconfig.json', ...only }))
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: root, encoding: 'utf8' })
    expect(stdout + stderr).toBe('')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
