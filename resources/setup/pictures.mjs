// @ts-check
import { build } from './build.mjs'
import { runScript } from './failure.mjs'
import { launch } from './launch.mjs'
import { inRoot, root } from './paths.mjs'
import { prepare } from './prepare.mjs'

/** Pictures of every screen in both themes, from the real app with real machines, into resources/docs/pictures. */
await runScript(async () => {
  // It starts real machines, so it needs what the tests need.
  const prepared = await prepare({ for: 'test' })
  await build(prepared)
  const { code } = await launch(prepared.node, [inRoot('e2e', 'pictures', 'main.ts'), ...process.argv.slice(2)], {
    cwd: root,
    env: prepared.env,
  })
  return code
})
