// @ts-check
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { runScript, SetupFailure } from './failure.mjs'
import { root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { step } from './progress.mjs'
import { runAttached } from './run.mjs'

/** Asked for only by whoever makes packages: with what it brings along it is larger than the console. */
const builder = 'electron-builder@26.17.0'

/**
 * `npm run package` makes what electron-builder.yml says for this system; `npm run package -- --dir` only the folder
 * that would be packed. The runtime is the one that was verified here, so nothing else is downloaded for it.
 */
await runScript(async () => {
  const prepared = await prepare({ for: 'start' })
  await build(prepared)
  const { electron, env } = prepared
  const version = readFileSync(join(electron.folder, 'version'), 'utf8').trim().replace(/^v/, '')
  const options = [`-c.electronDist=${electron.folder}`, `-c.electronVersion=${version}`, '--publish=never']
  const wanted = process.argv.slice(2)
  await step(`Package with ${builder}`, async (say) => {
    say(`Electron ${version}`)
    const code = await runAttached('npx', ['--yes', builder, ...options, ...wanted], {
      cwd: root,
      env: { ...env, npm_config_yes: 'true' },
    })
    if (code !== 0) {
      throw new SetupFailure('The package was not made.', {
        next: `look at what it said above; ${builder} itself comes from the npm registry`,
      })
    }
  })
  console.log('✓ It is in dist/')
})
