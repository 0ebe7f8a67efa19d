import type { AuditLog } from '../audit/audit.service.ts'
import type { Config } from '../config.ts'
import { envRoutes } from '../env/env.routes.ts'
import { EnvService, type EnvServiceOptions } from '../env/env.service.ts'
import { execRoutes, execSocket } from '../exec/exec.routes.ts'
import { ExecService } from '../exec/exec.service.ts'
import type { Log } from '../log.ts'
import type { Counter } from '../metrics/open-metrics.ts'
import { deriveKey, type SecretChecker, sha256 } from '../server/secrets.ts'
import { terminalSocket } from '../terminal/terminal.routes.ts'
import { TerminalService } from '../terminal/terminal.service.ts'
import { adminRoutes } from './admin.routes.ts'
import { LiveConfig } from './live-config.ts'
import { SecretKeeper } from './secret-keeper.ts'

export interface AdminPartsOptions {
  config: Config
  /** Reads the configuration again, for `POST /admin/refresh-secrets`. */
  readConfig: () => Config
  secret: string
  audit: AuditLog
  log: Log
  /** See EnvServiceOptions. */
  prepareRestart: EnvServiceOptions['prepareRestart']
}

export interface AdminParts {
  checker: SecretChecker
  handlers: ReturnType<typeof envRoutes> & ReturnType<typeof execRoutes> & ReturnType<typeof adminRoutes>
  sockets: ReturnType<typeof execSocket> & ReturnType<typeof terminalSocket>
  counters: () => Counter[]
  gauges: () => Counter[]
  readonly openTerminals: number
  /** Ends every command and every terminal. */
  close(): Promise<void>
}

/** What people do to a machine by hand: its variables, commands, terminals, secret and power; wired together. */
export function createAdminParts(options: AdminPartsOptions): AdminParts {
  const { dataDir, secretFile } = options.config
  const config = new LiveConfig(options.config, options.readConfig)
  const secrets = new SecretKeeper(dataDir, secretFile, options.secret)
  const env = new EnvService({
    file: () => config.current.envFile,
    allowReveal: () => config.current.allowReveal,
    salt: () => fingerprintSalt(config.current.fleetSalt, secrets.checker),
    prepareRestart: options.prepareRestart,
  })
  const commands = new ExecService({
    dataDir,
    allow: () => config.current.execAllow,
    passedOn: () => config.current.commandEnv,
  })
  const terminals = new TerminalService({
    dataDir,
    audit: options.audit,
    log: options.log,
    settings: () => config.current,
  })
  return {
    checker: secrets.checker,
    handlers: { ...envRoutes(env), ...execRoutes(commands), ...adminRoutes({ secrets, config, env }) },
    sockets: { ...execSocket(commands), ...terminalSocket(terminals) },
    counters: () => [
      { name: 'execs', help: 'Commands run.', value: commands.count },
      { name: 'terminals_opened', help: 'Terminals opened.', value: terminals.opened },
      { name: 'env_writes', help: 'Changes of the env file.', value: env.writes },
    ],
    gauges: () => [{ name: 'terminals_open', help: 'Terminals open now.', value: terminals.open }],
    get openTerminals() {
      return terminals.open
    },
    async close() {
      await Promise.all([commands.close(), terminals.close()])
    },
  }
}

/**
 * Machines whose fingerprints are to be compared share a salt: the one they are told or, without one, a key made of
 * their secret. So two machines with the same secret agree, and so do two that are told the same salt.
 */
function fingerprintSalt(told: string | undefined, checker: SecretChecker): Buffer {
  const purpose = 'fingerprints of environment variables'
  return told === undefined || told === '' ? checker.derive(purpose) : deriveKey(sha256(told), purpose)
}
