import { readFileSync } from 'node:fs'

/**
 * Clouds hand out credentials at addresses of the link to whoever asks from the machine; a page must not be able to
 * ask. Chromium is told so twice: by what is written in an address, and by what a name leads to.
 */
const written = [
  // An address in brackets is only ever found by a pattern with a star.
  ...['169.254.*', '[::ffff:a9fe:*', '[64:ff9b::a9fe:*', '[fe80:*'],
  ...['100.100.100.200', '[::ffff:6464:64c8*', '[64:ff9b::6464:64c8*'],
  ...['168.63.129.16', '[::ffff:a83f:8110*', '[64:ff9b::a83f:8110*'],
  ...['[fd00:ec2:*', '[fd00:c1:*', '[fd20:ce:*', 'metadata.google.internal'],
]

/** The same as addresses that a name may have; one of the first kind can stand inside one of the second. */
const resolved = [
  String.raw`(::ffff:)?169\.254\.`,
  '::ffff:a9fe:',
  String.raw`(::ffff:)?100\.100\.100\.200$`,
  '::ffff:6464:64c8$',
  String.raw`(::ffff:)?168\.63\.129\.16$`,
  '::ffff:a83f:8110$',
  'fe[89ab][0-9a-f]:',
  'fd00:0?ec2:',
  'fd00:(00)?c1:',
  'fd20:(00)?ce:',
]

/** A proxy that cannot be asked, since its own name leads nowhere: what is sent there fails at once. */
const nowhere = 'unreachable.invalid'

/** Nobody can own a name under these, and answer for it what he likes. */
const reserved = ['localhost', 'invalid', 'test', 'example']

/**
 * Chromium runs this for each request, except to this machine itself, and connects as it always does where it answers
 * DIRECT. Only what is not encrypted is looked at: who hands out credentials has no certificate for another's name.
 * What stands in an address as numbers is judged by these; a name of this machine's own by what it leads to; and every
 * other name goes by the agent's own way out, which connects to what it has judged. It is never looked up here: the
 * answer could be another one when Chromium asks.
 */
function proxyScript(ports: readonly number[], ownNames: readonly string[]): string {
  const own = Object.fromEntries(ownNames.map((name) => [name, true]))
  return `
var refused = /^(${resolved.join('|')})/i
var reserved = /(^|\\.)(${reserved.join('|')})$/
var own = ${JSON.stringify(own)}
var ports = ${JSON.stringify(ports)}
function FindProxyForURL(url, asked) {
  if (!/^(http|ws):/.test(url)) return 'DIRECT'
  var host = asked.toLowerCase().replace(/\\.$/, '')
  if (host.indexOf(':') !== -1 || /^[0-9.]+$/.test(host)) return 'DIRECT'
  if (own.hasOwnProperty(host) || reserved.test(host))
    return dnsResolveEx(host).split(';').some(function (address) { return refused.test(address) })
      ? 'PROXY ${nowhere}:80'
      : 'DIRECT'
  var sum = 0
  for (var at = 0; at < host.length; at++) sum = (sum * 31 + host.charCodeAt(at)) % 65521
  return 'SOCKS5 127.0.0.1:' + ports[sum % ports.length]
}`
}

/** Keeps Chromium away from there; without the ports of a way out only by what is written in an address. */
export function unreachableArgs(ports: readonly number[] | undefined, ownNames = namesOfThisMachine()): string[] {
  const rules = [...written, nowhere].map((host) => `MAP ${host} ~NOTFOUND`).join(',')
  const args = [`--host-resolver-rules=${rules}`]
  if (ports !== undefined) {
    const script = Buffer.from(proxyScript(ports, ownNames)).toString('base64')
    args.push(`--proxy-pac-url=data:application/x-ns-proxy-autoconfig;base64,${script}`)
  }
  return args
}

/** What its hosts file names: nobody outside answers for these. */
function namesOfThisMachine(): string[] {
  try {
    const lines = readFileSync('/etc/hosts', 'utf8').split('\n')
    return lines.flatMap((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/).slice(1))
  } catch {
    return []
  }
}

/**
 * Where Chromium uses a proxy it looks up no names itself: that proxy decides. A Mac has its proxies in its settings,
 * which a script of ours would put out of force.
 */
export function usesProxy(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'darwin') return true
  return Object.entries(env).some(([name, value]) => /^(https?|all)_proxy$/i.test(name) && value !== '')
}
