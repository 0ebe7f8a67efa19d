import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestAgent } from '../../e2e/rigs/agent.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { until } from '../../e2e/rigs/until.ts'
import { Problem } from '../../shared/errors.ts'

let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('full'))
})
afterEach(() => remove())

const canMount = process.getuid?.() === 0 && process.platform === 'linux'

test.skipIf(!canMount)('a full disk (a small tmpfs; needs root): no row, no action, and the agent lives', async () => {
  const small = path.join(folder, 'small')
  const envFile = path.join(folder, '.env')
  const proof = path.join(folder, 'ran')
  fs.mkdirSync(small)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', small])
  expect(mounted.status, String(mounted.stderr)).toBe(0)
  try {
    const rig = await startTestAgent({
      PILOTHOUSE_DATA_DIR: path.join(small, 'data'),
      PILOTHOUSE_ENV_FILE: envFile,
      DOCKER_HOST: 'unix:///nowhere.sock',
    })
    const { client } = rig
    await client.call('env.set', { vars: { N: '0' } })
    fs.writeFileSync(path.join(small, 'filler'), '')
    try {
      for (;;) fs.appendFileSync(path.join(small, 'filler'), Buffer.alloc(4096))
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }

    let refused: Problem | undefined
    let written = 0
    while (refused === undefined) {
      await client.call('env.set', { vars: { N: String(written + 1) } }).then(
        () => written++,
        (error: unknown) => {
          if (!(error instanceof Problem)) throw error
          refused = error
        },
      )
    }
    expect([refused.code, refused.status]).toEqual(['audit-unavailable', 500])
    expect(refused.message).toContain('nothing was done')
    // The last that had its row was done; the one without was not.
    expect(fs.readFileSync(envFile, 'utf8')).toBe(`N=${written}\n`)
    await expect(client.call('exec.run', { command: `touch ${proof}` })).rejects.toMatchObject({ code: refused.code })
    await expect(client.open('exec', { command: `touch ${proof}` })).rejects.toMatchObject({ code: refused.code })
    await expect(client.open('terminal', {})).rejects.toMatchObject({ code: refused.code })
    expect(fs.existsSync(proof)).toBe(false)
    const { reason } = (await client.call('machine.status')).health ?? {}
    expect((await client.call('machine.health')).status).not.toBe('ok')
    expect(reason).toMatch(/The audit log cannot be written .* so every change is refused/)
    // What can be looked at still can be.
    expect((await client.call('env.get')).vars).toEqual({ N: String(written) })
    expect(await client.call('audit.verify')).toMatchObject({ sound: true })

    fs.rmSync(path.join(small, 'filler'))
    // Nobody has to ask for a change first.
    await until('it to be well', async () => !/audit/.test((await client.call('machine.status')).health?.reason ?? ''))
    await client.call('env.set', { vars: { N: 'again' } })
    expect(fs.readFileSync(envFile, 'utf8')).toBe('N=again\n')
    expect(await client.call('audit.verify')).toMatchObject({ sound: true })
    await rig.stop()
  } finally {
    spawnSync('umount', ['-l', small])
  }
})
