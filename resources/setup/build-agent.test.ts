import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLate } from './build-agent.mjs'

const late = ['https', 'tls', 'zlib', 'worker_threads', 'dns']
const nodes = createRequire(import.meta.url)
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bundle-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What a program prints that was bundled as the agent is. */
async function printed(source: string): Promise<unknown> {
  const outfile = path.join(folder, 'bundle.mjs')
  await build({
    stdin: { contents: source, resolveDir: folder },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', plugins: [readLate], logLevel: 'silent' },
    banner: { js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)" },
  })
  return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }))
}

test('what is read late is there by each of its names when it is called for', async () => {
  const imports = late.map((name, at) => `import whole${at}, * as named${at} from 'node:${name}'`)
  const kinds = late.map(
    (_, at) => `Object.keys(whole${at}).map((key) => typeof named${at}[key] + typeof whole${at}[key])`,
  )
  const found = await printed(`${imports.join('\n')}\nconsole.log(JSON.stringify([${kinds.join(', ')}]))`)
  const real = late.map((name) => Object.values(nodes(`node:${name}`)).map((value) => typeof value + typeof value))
  expect(found).toEqual(real)
})

test('a thread and a packing that are imported by name work, and nothing of them is read before', async () => {
  const source = `
    import { crc32 } from 'node:zlib'
    import { Worker } from 'node:worker_threads'
    const read = () => process.moduleLoadList.some((name) => / zlib$/.test(name))
    const before = read()
    const sum = crc32('pilothouse')
    const worker = new Worker('require("node:worker_threads").parentPort.postMessage(7)', { eval: true })
    worker.once('message', (said) => console.log(JSON.stringify({ before, after: read(), sum, said })))`
  const sum = nodes('node:zlib').crc32('pilothouse')
  expect(await printed(source)).toEqual({ before: false, after: true, sum, said: 7 })
})
