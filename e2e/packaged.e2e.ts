import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshFolder } from './rigs/folder.ts'
import { configuredFuses, packagedRuntime } from './rigs/packaged-runtime.ts'
import { startProgram } from './rigs/program.ts'
import { until } from './rigs/until.ts'
import { startXvfb, type Xvfb } from './rigs/xvfb.ts'

test('a package sets every fuse that keeps others from running their code as the console', () => {
  expect(configuredFuses()).toEqual({
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableCookieEncryption: true,
    onlyLoadAppFromAsar: true,
    enableEmbeddedAsarIntegrityValidation: true,
    grantFileProtocolExtraPrivileges: false,
  })
})

/** Each attack is tried on the runtime as it is delivered, too: there it works, so what fails here fails by the fuses. */
describe.skipIf(process.platform !== 'linux').each([
  ['as it is delivered', false],
  ['with the fuses of a package', true],
] as const)('a runtime %s', (_name, fused) => {
  const { folder, remove } = freshFolder('packaged')
  const at = (name: string) => path.join(folder, name)
  let xvfb: Xvfb
  let program = ''
  beforeAll(async () => {
    xvfb = await startXvfb()
    const probe = readFileSync(path.join(import.meta.dirname, 'rigs', 'probe-app.cjs'), 'utf8')
    const app = { 'package.json': '{"name":"console","main":"main.js"}', 'main.js': probe }
    program = packagedRuntime(at('runtime'), fused ? configuredFuses() : {}, app)
    writeFileSync(at('evil.cjs'), `require('node:fs').writeFileSync(${JSON.stringify(at('evil'))}, 'ran')`)
  }, 60_000)
  afterAll(async () => {
    await xvfb.stop()
    remove()
  })

  /** Runs it to its end; says what the app saw, and whether the attacker's code ran. */
  async function attack(env: Record<string, string>, args: string[] = []) {
    for (const file of ['evil', 'report']) rmSync(at(file), { force: true })
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    const started = await startProgram(program, [...args, ...sandbox, `--user-data-dir=${at('data')}`], {
      env: { ...process.env, ...xvfb.env, ...env, PROBE_REPORT: at('report') },
    })
    try {
      await until('the runtime to end', () => started.exitCode !== undefined)
    } finally {
      await started.end()
    }
    const report = existsSync(at('report')) ? (JSON.parse(readFileSync(at('report'), 'utf8')) as Report) : undefined
    return { report, evil: existsSync(at('evil')) }
  }
  interface Report {
    inspector: string | null
  }

  test(`${fused ? 'is no Node' : 'is a Node for whoever asks'}`, async () => {
    const { evil, report } = await attack({ ELECTRON_RUN_AS_NODE: '1' }, [at('evil.cjs')])
    expect([evil, report !== undefined]).toEqual([!fused, fused])
  })

  test(`${fused ? 'takes no' : 'takes'} code from NODE_OPTIONS`, async () => {
    const { evil, report } = await attack({ NODE_OPTIONS: `--require=${at('evil.cjs')}` })
    expect([evil, report !== undefined]).toEqual([!fused, true])
  })

  test(`${fused ? 'lets nobody' : 'lets anyone'} debug it`, async () => {
    const { report } = await attack({}, ['--inspect=127.0.0.1:0'])
    expect(report?.inspector === null).toBe(fused)
  })
})
