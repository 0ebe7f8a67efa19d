/** How bad a line is, in one set of words whatever its program writes. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

const names: Record<string, LogLevel> = {
  trace: 'trace',
  trac: 'trace',
  trce: 'trace',
  vrb: 'trace',
  verbose: 'debug',
  silly: 'trace',
  debug: 'debug',
  dbg: 'debug',
  dbug: 'debug',
  debu: 'debug',
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
  erro: 'error',
  fail: 'error',
  eror: 'error',
  error: 'error',
  severe: 'error',
  crit: 'fatal',
  critical: 'fatal',
  alert: 'fatal',
  emerg: 'fatal',
  emergency: 'fatal',
  panic: 'fatal',
  dpanic: 'fatal',
  pani: 'fatal',
  fatal: 'fatal',
  fata: 'fatal',
  ftl: 'fatal',
}

/** Far enough for a time, a host and a logger's name; further to the right a word is part of the sentence. */
const headChars = 160

/** Go's `slog` writes a level of one's own as the distance from the next one: `ERROR+2`. */
const jsonLevel =
  /"(?:level|severity|lvl|loglevel|levelname|log\.level|@l)"\s*:\s*(?:"([A-Za-z]{1,12})(?:[+-]\d{1,3})?"|"?(\d{1,2})\b)/i
/** MongoDB's own. */
const jsonLetter = /^\{"t":\{"\$date":"[^"]*"\},"s":"([FEWID])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with one
const colours = /\u001b\[[0-9;]*m/g
const keyed = /(?:^|[\s,;{])(?:level|lvl|severity)\s?=\s?"?([A-Za-z]{1,12})\b/i
/** What a setting is called as well: only where nothing else says how bad the line is. */
const named = /(?:^|[\s,;{])(?:level|lvl|severity)\s?:\s?"?([A-Za-z]{1,12})\b/i
/** `[error]`, `[error    ]`, and Apache's `[core:error]`. */
const bracketed =
  /[[(<|]\s*(?:\w+:)?(trace|debug|info|notice|warn|warning|error|err|crit|critical|alert|emerg|fatal|panic)\s*[\])>|]/i
/** `ERROR`, `[ERROR/worker]`, `12:00:00 ERR]`, `ERRO[0001]`, `npm ERR!` */
const shouted =
  /(?:^|[\s:|\][(])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|PANIC|VRB|DBG|INF|WRN|ERR|FTL|TRAC|DEBU|ERRO|FATA|PANI)(?=$|[\s:|\][,/!])/
/** `production.ERROR: `, where the logger stands before the level. */
const dotted = /\s\w+\.(DEBUG|INFO|NOTICE|WARNING|ERROR|CRITICAL|ALERT|EMERGENCY):/
const leading =
  /^(?:PHP )?(trace|trce|verbose|debug|dbug|info|notice|warn|warning|error|fail|crit|critical|fatal|panic)(?:\s?:| error:)|^npm (error|warn)\b/i
const thrown =
  /^(?:Uncaught |Unhandled |Exception in thread |Traceback \(|thread '[^']*' panicked at |\S+:\d+:in [`'][^`']*': .*\([A-Z][\w:]*Error\)|[A-Za-z_$][\w.$]*(?:Error|Exception)(?::|$| \[))/
/** Node's and Python's, behind the process or the place in a file. */
const warned = /^(?:\(node:\d+\) |\S+:\d+: )(?:\[\w+\] )?[A-Za-z]*Warning: /
const kernel = /^<(\d{1,3})>/
/** `E1231 23:59:59.000000`, as Kubernetes and all of Google's write it, and `[E 23:59:59`. */
const lettered = /^(?:([IWEF])\d{4} \d\d:\d\d:\d\d\.|\[([DIWEC]) \d)/
const letters: Record<string, LogLevel> = { D: 'debug', I: 'info', W: 'warn', E: 'error', F: 'fatal', C: 'fatal' }
/** Most lines have none of these, and are done with after one look. */
const hint =
  /[Ee]rr|ERR|[Ww]arn|W(?:ARN|RN)|[Ii]nfo|INF|[Dd]ebug|D(?:EBU|BG)|[Tt]race|TRAC|[Ff]atal|F(?:ATA|TL)|[Pp]ani[ck]|PANI|CRIT|[Cc]rit|ALERT|[Aa]lert|EMERG|[Ee]merg|NOTICE|[Nn]otice|SEVERE|VRB|level|lvl|severity|xception|^(?:[<[(]|[IWEF]\d{4} |fail|FAIL|dbug|trce|verbose)|Un(?:caught|handled)/

/** The level a line states, or undefined where it states none. */
export function levelOf(message: string): LogLevel | undefined {
  if (message.charCodeAt(0) === 123) return levelOfJson(message)
  let head = message.length > headChars ? message.slice(0, headChars) : message
  if (!hint.test(head)) return undefined
  if (head.includes('\u001b')) head = head.replace(colours, '')
  return statedIn(head) ?? meantBy(head) ?? levelOfInnerJson(message, head)
}

function statedIn(head: string): LogLevel | undefined {
  const lead = leading.exec(head)
  const stated =
    keyed.exec(head)?.[1] ??
    bracketed.exec(head)?.[1] ??
    shouted.exec(head)?.[1] ??
    dotted.exec(head)?.[1] ??
    lead?.[1] ??
    lead?.[2] ??
    named.exec(head)?.[1]
  return stated === undefined ? undefined : levelNamed(stated)
}

function meantBy(head: string): LogLevel | undefined {
  if (thrown.test(head)) return 'error'
  if (warned.test(head)) return 'warn'
  const lettering = lettered.exec(head)
  if (lettering !== null) return letters[lettering[1] ?? lettering[2] ?? '']
  const priority = kernel.exec(head)?.[1]
  return priority === undefined ? undefined : syslogLevel(Number(priority) & 7)
}

/** Behind what a process manager puts before each line. */
function levelOfInnerJson(message: string, head: string): LogLevel | undefined {
  if (!head.includes('{"')) return undefined
  return levelOfJson(message.slice(message.indexOf('{"')))
}

/** pino and bunyan write numbers, winston and most others names. */
function levelOfJson(message: string): LogLevel | undefined {
  const match = jsonLevel.exec(message.length > 8192 ? message.slice(0, 8192) : message)
  if (match === null) return letters[jsonLetter.exec(message)?.[1] ?? '']
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
