import os from 'node:os'
import { markVariable } from '../processes/process-table.ts'

/** What is the agent's own, or its supervisor's, and no business of the programs that people start. */
const withheld =
  /^(PILOTHOUSE_|HATCHET_CLIENT_TOKEN$|OPENAI_API_KEY$|CREDENTIALS_DIRECTORY$|NOTIFY_SOCKET$|INVOCATION_ID$|JOURNAL_STREAM$|LISTEN_|WATCHDOG_|NODE_OPTIONS$|NODE_CHANNEL_|VITEST|TMUX|STY$|WINDOWID$|TERMCAP$|COLUMNS$|LINES$)/

/** The environment of commands and terminals: the agent's, without its secrets, and enough for a login. */
export function commandEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !withheld.test(entry[0]) && entry[0] !== markVariable,
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
