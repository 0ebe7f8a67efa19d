// @ts-check
import { build } from './build.mjs'
import { runScript } from './failure.mjs'
import { launch } from './launch.mjs'
import { inRoot, root } from './paths.mjs'
import { prepare } from './prepare.mjs'

await runScript(async () => {
  // The bench starts real machines, so it needs what the tests need, and what it measures against.
  const prepared = await prepare({ for: 'bench' })
  await build(prepared)
  const { code } = await launch(prepared.node, [inRoot('e2e', 'bench', 'main.ts'), ...process.argv.slice(2)], {
    cwd: root,
    env: prepared.env,
  })
  return code
})
