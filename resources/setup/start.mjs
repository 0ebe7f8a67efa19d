// @ts-check
import { build } from './build.mjs'
import { hasDisplay, howToLook, startHiddenDisplay, startRemoteDisplay } from './display.mjs'
import { runScript, SetupFailure } from './failure.mjs'
import { launch } from './launch.mjs'
import { root } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { sandboxSwitch } from './sandbox.mjs'
import { checkWritable, pictureSize } from './screenshot.mjs'
import { parseStartArgs, usage } from './start-args.mjs'

const screenshotMs = 120_000

await runScript(async () => {
  const options = parseStartArgs(process.argv.slice(2))
  if (options.help) return console.log(usage)
  if (options.screenshot) checkWritable(options.screenshot)
  const prepared = await prepare({ for: 'start' })
  await build(prepared)
  const { electron, env } = prepared
  const args = [...sandboxSwitch(electron, options.noSandbox), root]
  if (options.demo) args.push('--demo')
  if (options.screenshot) args.push(`--screenshot=${options.screenshot}`)

  const display = await openDisplay(options.screenshot !== undefined)
  const began = Date.now()
  try {
    const { code, timedOut } = await launch(electron.program, args, {
      cwd: root,
      env: { ...env, ...display?.env },
      limitMs: options.screenshot ? screenshotMs : undefined,
    })
    if (timedOut) throw new SetupFailure(`No picture after ${screenshotMs / 1000} s, so the console was ended.`)
    if (options.screenshot && code === 0) {
      const { width, height } = pictureSize(options.screenshot, began)
      console.log(`✓ Saved ${options.screenshot} (PNG, ${width} × ${height})`)
    }
    return code
  } finally {
    await display?.close()
  }
})

/** @param {boolean} hidden @returns {Promise<import('./display.mjs').Display | undefined>} */
async function openDisplay(hidden) {
  if (hasDisplay()) return undefined
  if (hidden) return startHiddenDisplay()
  const display = await startRemoteDisplay()
  console.log(`\n${howToLook(display)}\n`)
  return display
}
