// @ts-check
import { resolve } from 'node:path'
import { SetupFailure } from './failure.mjs'

export const usage = `Usage: npm start -- [options]

  --demo             a fleet of invented machines; nothing is contacted
  --screenshot FILE  save a picture of the console as PNG, then end
  --no-sandbox       run without Chromium's sandbox, where the system cannot provide it
  --help             this text`

/** @typedef {{ help: boolean, demo: boolean, noSandbox: boolean, screenshot: string | undefined }} StartOptions */

/**
 * @param {string[]} args
 * @param {string} [from]  the folder a relative file is meant from
 * @returns {StartOptions}
 */
export function parseStartArgs(args, from = process.env.INIT_CWD ?? process.cwd()) {
  /** @type {StartOptions} */
  const options = { help: false, demo: false, noSandbox: false, screenshot: undefined }
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--help' || arg === '-h') options.help = true
    else if (arg === '--demo') options.demo = true
    else if (arg === '--no-sandbox') options.noSandbox = true
    else if (arg === '--screenshot' || arg.startsWith('--screenshot=')) {
      const file = arg === '--screenshot' ? rest.shift() : arg.slice('--screenshot='.length)
      if (!file || file.startsWith('--')) throw wrong('--screenshot needs the name of a file.')
      options.screenshot = resolve(from, file)
    } else throw wrong(`Unknown argument: ${arg}`)
  }
  return options
}

/** @param {string} message */
const wrong = (message) => new SetupFailure(message, { output: usage, exitCode: 2 })
