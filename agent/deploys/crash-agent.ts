import { startAgent } from '../agent.ts'
import { readConfig } from '../config.ts'
import { log } from '../log.ts'
import type { DeployPause } from './journal.ts'

/**
 * An agent for tests, in a process of its own, that stands still at one moment of a deploy, says so on standard
 * output, and waits there to be killed. Arguments: when (stored or taken), step, action, target.
 */
const [when, step, action, target] = process.argv.slice(2)

const pauseDeploy: DeployPause = (moment) => {
  const isIt =
    moment.when === when && moment.step === step && moment.action === action && (moment.target ?? '') === target
  if (!isIt) return Promise.resolve()
  process.stdout.write('standing still\n')
  return new Promise(() => {})
}

await startAgent(readConfig(process.env), process.env['PILOTHOUSE_SECRET'] ?? '', log, { pauseDeploy })
process.stdout.write('ready\n')
