/** How bad a line is, in one set of words whatever its program writes. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

const names: Record<string, LogLevel> = {
  trace: 'trace',
  verbose: 'debug',
  silly: 'trace',
  debug: 'debug',
  dbg: 'debug',
  dbug: 'debug',
  info: 'info',
  information: 'info',
  inf: 'info',
  log: 'info',
  http: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  err: 'error',
  eror: 'error',
  error: 'error',
  severe: 'error',
  crit: 'fatal',
  critical: 'fatal',
  alert: 'fatal',
  emerg: 'fatal',
  panic: 'fatal',
  fatal: 'fatal',
}

/** Far enough for a time, a host and a logger's name; further to the right a word is part of the sentence. */
const headChars = 160

const jsonLevel = /"(?:level|severity|lvl|loglevel|levelname|log\.level|@l)"\s*:\s*(?:"([A-Za-z]{1,12})"|(\d{1,2})\b)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with one
const colours = /\u001b\[[0-9;]*m/g
const keyed = /(?:^|[\s,;{])(?:level|lvl|severity)\s?[=:]\s?"?([A-Za-z]{1,12})\b/i
const bracketed =
  /[[(<|]\s?(trace|debug|info|notice|warn|warning|error|err|crit|critical|alert|emerg|fatal|panic)\s?[\])>|]/i
const shouted = /(?:^|[\s:|\]])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|PANIC)(?=$|[\s:|\][,])/
const leading = /^(trace|debug|info|notice|warn|warning|error|fatal|panic)\s?:/i
const thrown =
  /^(?:Uncaught |Unhandled |Exception in thread |Traceback \(|[A-Za-z_$][\w.$]*(?:Error|Exception)(?::|$| \[))/
const kernel = /^<(\d{1,3})>/
/** Most lines have none of these, and are done with after one look. */
const hint =
  /[Ee]rr|ERR|[Ww]arn|WARN|[Ii]nfo|INFO|[Dd]ebug|DEBUG|[Tt]race|TRACE|FATAL|[Ff]atal|[Pp]anic|PANIC|CRIT|[Cc]rit|ALERT|[Aa]lert|EMERG|[Ee]merg|NOTICE|[Nn]otice|SEVERE|level|lvl|severity|xception|^<|Un(?:caught|handled)/

/** The level a line states, or undefined where it states none. */
export function levelOf(message: string): LogLevel | undefined {
  if (message.charCodeAt(0) === 123) return levelOfJson(message)
  let head = message.length > headChars ? message.slice(0, headChars) : message
  if (!hint.test(head)) return undefined
  if (head.includes('\u001b')) head = head.replace(colours, '')
  const stated =
    keyed.exec(head)?.[1] ?? bracketed.exec(head)?.[1] ?? shouted.exec(head)?.[1] ?? leading.exec(head)?.[1]
  const level = stated === undefined ? undefined : levelNamed(stated)
  if (level !== undefined) return level
  if (thrown.test(head)) return 'error'
  const priority = kernel.exec(head)?.[1]
  return priority === undefined ? undefined : syslogLevel(Number(priority) & 7)
}

/** pino and bunyan write numbers, winston and most others names. */
function levelOfJson(message: string): LogLevel | undefined {
  const match = jsonLevel.exec(message.length > 8192 ? message.slice(0, 8192) : message)
  if (match === null) return undefined
  if (match[1] !== undefined) return levelNamed(match[1])
  const number = Number(match[2])
  if (number >= 60) return 'fatal'
  if (number >= 50) return 'error'
  if (number >= 40) return 'warn'
  if (number >= 30) return 'info'
  if (number >= 20) return 'debug'
  return number >= 10 ? 'trace' : undefined
}

export function levelNamed(name: string): LogLevel | undefined {
  return Object.hasOwn(names, name.toLowerCase()) ? names[name.toLowerCase()] : undefined
}

/** Syslog's priorities: 0 is an emergency, 7 is for debugging. */
export function syslogLevel(priority: number): LogLevel | undefined {
  if (!(priority >= 0 && priority <= 7)) return undefined
  if (priority <= 2) return 'fatal'
  if (priority === 3) return 'error'
  if (priority === 4) return 'warn'
  return priority === 7 ? 'debug' : 'info'
}
