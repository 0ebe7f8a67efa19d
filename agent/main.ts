import { parseArgs } from 'node:util'
import { contractVersion } from '../shared/contract/index.ts'
import { findChromium } from './browser/chromium.ts'
import { readConfig } from './config.ts'
import { withConfigFile } from './config-file.ts'
import { DockerEngine } from './docker/engine.ts'
import { doctorReport } from './doctor.ts'
import { installCommand } from './install/install.command.ts'
import { inspectHatchet } from './jobs/hatchet-worker.ts'
import { log } from './log.ts'
import { inspectMachine } from './machine/capabilities.ts'
import { detach, serve } from './serve.ts'
import { makeSecret, readSecret } from './server/secrets.ts'

const usage = `pilothouse-agent ${contractVersion}

  --version                       print the version
  serve [--lifeline] [--detach]   run the agent (--lifeline: end with standard input; --detach: in a process of its own)
  doctor                          what works on this machine, what is missing, how to install it
  secret                          make a secret and print it, once
  install browser | desktop       install what they need [--yes] [--print-only] [--package-manager apt|dnf|apk]
  install service                 run the agent as a service (systemd or launchd) [--print-only]

Settings come from the environment, or from the file that PILOTHOUSE_CONFIG names: PILOTHOUSE_SECRET or PILOTHOUSE_SECRET_FILE, PILOTHOUSE_DATA_DIR,
PILOTHOUSE_SOCKET (a path, or off), PILOTHOUSE_PORT (8000, or off), PILOTHOUSE_BIND, PILOTHOUSE_HOST_NAMES,
PILOTHOUSE_ALLOW_PUBLIC_BIND, PILOTHOUSE_MACHINE_TYPE, PILOTHOUSE_SERVICES, PILOTHOUSE_ENV_FILE, PILOTHOUSE_LEASE_EXPIRY (hand_back or keep_paused),
PILOTHOUSE_EXEC_ALLOW (a list of programs), PILOTHOUSE_COMMAND_ENV (secret variables that commands may see),
PILOTHOUSE_ALLOW_REVEAL, PILOTHOUSE_FLEET_SALT, PILOTHOUSE_RECORD_TERMINALS, PILOTHOUSE_SHELL,
PILOTHOUSE_TERMINAL_USER, PILOTHOUSE_SHUTDOWN_COMMAND.
`

async function run(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      lifeline: { type: 'boolean' },
      detach: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      'print-only': { type: 'boolean' },
      'package-manager': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  })
  const command = positionals[0]
  if (values.version) return void process.stdout.write(`${contractVersion}\n`)
  if (!values.help) refuseWhatIsNotTaken(command, positionals.slice(1), Object.keys(values))
  if (values.help || command === undefined || command === 'help') {
    process.stdout.write(usage)
  } else if (command === 'serve') {
    if (values.detach) return detach()
    const environment = { ...process.env }
    const settings = withConfigFile(environment)
    const config = readConfig(settings)
    const secret = readSecret(settings, config.dataDir)
    // Parts that look for their settings themselves find those of the file too; the secret, no program finds.
    Object.assign(process.env, settings)
    delete process.env['PILOTHOUSE_SECRET']
    // Keys of models and registries stay there for the parts that need them; a report of a crash has no use for them.
    process.report.excludeEnv = true
    // Meant for this process alone.
    delete process.env['NODE_COMPILE_CACHE']
    await serve(config, secret, {
      readConfig: () => readConfig(withConfigFile(environment)),
      lifeline: values.lifeline === true,
      announce: values.lifeline === true,
    })
  } else if (command === 'install') {
    process.exitCode = await installCommand(positionals[1], values)
  } else if (command === 'secret') {
    process.stdout.write(`${makeSecret()}\n`)
  } else if (command === 'doctor') {
    const settings = withConfigFile(process.env)
    const config = readConfig(settings)
    const engine = new DockerEngine(config.dockerEnv, log)
    const machine = await inspectMachine(
      engine,
      config.dockerEnv,
      config.adspower.url,
      findChromium(),
      inspectHatchet({ token: config.hatchetToken }),
    )
    process.stdout.write(doctorReport(config, machine, settings))
  } else {
    throw new Error(`There is no command "${command}". "pilothouse-agent help" lists them.`)
  }
}

/** What each command takes; of anything else it would seem that it had been heard. */
const taken: Record<string, { targets?: readonly string[]; options?: readonly string[] }> = {
  serve: { options: ['lifeline', 'detach'] },
  doctor: {},
  secret: {},
  help: {},
  install: { targets: ['browser', 'desktop', 'service'], options: ['yes', 'print-only', 'package-manager'] },
}

function refuseWhatIsNotTaken(command: string | undefined, words: readonly string[], options: readonly string[]): void {
  const takes = command === undefined ? {} : taken[command]
  if (takes === undefined) return
  const option = options.find((name) => takes.options?.includes(name) !== true)
  const word = words[takes.targets === undefined ? 0 : 1]
  const odd = option === undefined ? word : `--${option}`
  if (odd === undefined) return
  const whom = command === undefined ? 'Without a command there is' : `"${command}" takes`
  throw new Error(`${whom} no "${odd}". "pilothouse-agent help" lists what there is.`)
}

run().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  if (process.argv.includes('--lifeline'))
    process.stdout.write(`${JSON.stringify({ ready: false, problem: message })}\n`)
  process.stderr.write(`pilothouse-agent: ${message}\n`)
  process.exitCode = 1
})
