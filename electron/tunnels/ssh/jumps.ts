import { Problem } from '../../../shared/errors.ts'

/** A host to pass on the way to another, as the configuration names it. */
export interface Jump {
  alias: string
  user?: string
  port?: number
}

/** What ProxyJump says: none, or hosts with a comma between them. */
export function readJumps(text: string): Jump[] {
  if (text.toLowerCase() === 'none') return []
  return text.split(',').map((item) => {
    const [, user, host, port] =
      /^(?:ssh:\/\/)?(?:([^@\s]+)@)?(\[[^\]]+\]|[^:\s@-][^:\s@]*)(?::(\d+))?$/.exec(item.trim()) ?? []
    if (host === undefined) throw new Problem('tunnel-setup', `ProxyJump has ${item.trim()}, which is not a host.`)
    return { alias: bare(host), ...(user && { user }), ...(port && { port: Number(port) }) }
  })
}

/** Switches of ssh that change nothing about where it leads. */
const harmless = /^-[qvTxakC46]+$/

/**
 * What a ProxyCommand says. None is run; but `ssh -W %h:%p bastion`, which is how a jump was written before ProxyJump
 * was there, says the same as that and is taken for it.
 */
export function jumpsOfCommand(command: string, host: string, expand: (text: string) => string): Jump[] {
  if (command.trim().toLowerCase() === 'none') return []
  const jump = forwardedBy(command.trim().split(/\s+/), expand)
  if (jump !== undefined) return [jump]
  throw new Problem(
    'tunnel-setup',
    `${host} is reached by a ProxyCommand, which the console does not run. Use ProxyJump for it in the SSH configuration.`,
  )
}

function forwardedBy(words: readonly string[], expand: (text: string) => string): Jump | undefined {
  const [program = '', ...rest] = words[0] === 'exec' ? words.slice(1) : words
  if (!/^(?:.*[\\/])?ssh(?:\.exe)?$/.test(program)) return undefined
  if (rest.at(-1) === '2>/dev/null') rest.pop()
  const given: { to?: string; user?: string; port?: string; host?: string } = {}
  const options = { W: 'to', l: 'user', p: 'port' } as const
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (harmless.test(word)) continue
    const [, letter, joined] = /^-([Wlp])(.*)$/.exec(word) ?? []
    if (letter !== undefined) given[options[letter as keyof typeof options]] = joined || (rest.shift() ?? '')
    else if (word.startsWith('-') || given.host !== undefined) return undefined
    else given.host = expand(word)
  }
  if (given.host === undefined || !/^(?:%h|\[%h\]):%p$/.test(given.to ?? '')) return undefined
  if (given.port !== undefined && !/^\d{1,5}$/.test(given.port)) return undefined
  const [, user = given.user === undefined ? undefined : expand(given.user), alias] =
    /^(?:([^@\s]+)@)?([^:\s@/]+)$/.exec(given.host) ?? []
  if (alias === undefined) return undefined
  return { alias, ...(user && { user }), ...(given.port && { port: Number(given.port) }) }
}

/** An IPv6 address without its brackets. */
export function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}
