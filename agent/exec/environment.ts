import os from 'node:os'
import { isSensitiveEnvKey } from '../../shared/domain/redaction.ts'
import { markVariable } from '../processes/process-table.ts'

/** What is the agent's own, its supervisor's, or of the terminal that it was started in: never passed on. */
const ownOrForeign =
  /^(PILOTHOUSE_|NOTIFY_SOCKET$|INVOCATION_ID$|JOURNAL_STREAM$|LISTEN_|WATCHDOG_|NODE_OPTIONS$|NODE_CHANNEL_|VITEST|TMUX|STY$|WINDOWID$|TERMCAP$|COLUMNS$|LINES$)/

/**
 * The environment of commands and terminals: the agent's, and enough for a login. What would be *** in an env file is
 * not in it, whoever's it is: a key of a model or a registry is there for the agent. PILOTHOUSE_COMMAND_ENV names those
 * that are meant for commands as well.
 */
export function commandEnvironment(
  passedOn: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      entry[0] !== markVariable &&
      !ownOrForeign.test(entry[0]) &&
      (!isSensitiveEnvKey(entry[0]) || passedOn.includes(entry[0])),
  )
  const { username, homedir } = os.userInfo()
  return {
    // A service is started without a locale; without one, every letter beyond ASCII is broken.
    ...(kept.some(([name]) => /^(LANG|LC_ALL|LC_CTYPE)$/.test(name)) ? {} : { LANG: 'C.UTF-8' }),
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...Object.fromEntries(kept),
    HOME: homedir,
    USER: username,
    LOGNAME: username,
  }
}
