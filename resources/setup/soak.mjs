// @ts-check
import { runScript } from './failure.mjs'
import { launch } from './launch.mjs'
import { inRoot, root } from './paths.mjs'

/** The integration tests with every count in full: hundreds of starts, kills and cuts. Takes what `npm test` takes. */
await runScript(async () => {
  const args = [inRoot('resources', 'setup', 'test.mjs'), '--project', 'integration', ...process.argv.slice(2)]
  const { code } = await launch(process.execPath, args, { cwd: root, env: { ...process.env, PILOTHOUSE_SOAK: '1' } })
  return code
})
