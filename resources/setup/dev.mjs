// @ts-check
import { buildAgent } from './build-agent.mjs'
import { hasDisplay, howToLook, startRemoteDisplay } from './display.mjs'
import { runScript } from './failure.mjs'
import { launch } from './launch.mjs'
import { inRoot, root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { step } from './progress.mjs'
import { sandboxSwitch } from './sandbox.mjs'

await runScript(async () => {
  const { node, electron, env } = await prepare({ for: 'start' })
  await step('Build of the agent', buildAgent)
  // electron-vite wants its own spelling of the switch.
  const sandbox = sandboxSwitch(electron, process.argv.includes('--no-sandbox')).length > 0 ? ['--noSandbox'] : []
  const display = hasDisplay() ? undefined : await startRemoteDisplay()
  if (display) console.log(`\n${howToLook(display)}\n`)
  const passedOn = process.argv.slice(2).filter((arg) => arg !== '--no-sandbox')
  try {
    const { code } = await launch(
      node,
      [inRoot('node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'dev', ...sandbox, '--', ...passedOn],
      // electron-vite looks for Electron inside node_modules unless it is told.
      {
        cwd: root,
        env: { ...env, ...display?.env, ELECTRON_EXEC_PATH: electron.program, PILOTHOUSE_CHECK_RESULTS: '1' },
      },
    )
    return code
  } finally {
    await display?.close()
  }
})
