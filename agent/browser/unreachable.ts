/**
 * Clouds hand out credentials at addresses of the link to whoever asks from the machine; a page must not be able to
 * ask. Chromium is told so twice: by what is written in an address, and by what a name leads to.
 */
const written = ['169.254.*', '[::ffff:a9fe:*', '[fe80:*', '[fd00:ec2:*', 'metadata.google.internal', '100.100.100.200']

/** The same as addresses that a name may have; one of the first kind can stand inside one of the second. */
const resolved = [
  String.raw`(::ffff:)?169\.254\.`,
  '::ffff:a9fe:',
  String.raw`(::ffff:)?100\.100\.100\.200$`,
  '::ffff:6464:64c8$',
  'fe[89ab][0-9a-f]:',
  'fd00:0?ec2:',
]

/** A proxy that cannot be asked, since its own name leads nowhere: what is sent there fails at once. */
const nowhere = 'unreachable.invalid'

/**
 * Chromium runs this for each request, except to this machine itself, and connects as it always does where it answers
 * DIRECT. Only what is not encrypted is looked up: who hands out credentials has no certificate for another's name,
 * and a second look-up for each https host would make ordinary pages slower.
 */
const proxyScript = `
var refused = /^(${resolved.join('|')})/i
function FindProxyForURL(url, host) {
  if (!/^(http|ws):/.test(url)) return 'DIRECT'
  return dnsResolveEx(host).split(';').some(function (address) { return refused.test(address) })
    ? 'PROXY ${nowhere}:80'
    : 'DIRECT'
}`

/** Keeps Chromium away from there. Where it uses a proxy it looks up no names itself: that proxy decides. */
export function unreachableArgs(env: NodeJS.ProcessEnv): string[] {
  const rules = [...written, nowhere].map((host) => `MAP ${host} ~NOTFOUND`).join(',')
  const args = [`--host-resolver-rules=${rules}`]
  if (!usesProxy(env)) {
    const script = Buffer.from(proxyScript).toString('base64')
    args.push(`--proxy-pac-url=data:application/x-ns-proxy-autoconfig;base64,${script}`)
  }
  return args
}

/** A Mac has its proxies in its settings, which a script of ours would put out of force. */
function usesProxy(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'darwin') return true
  return Object.entries(env).some(([name, value]) => /^(https?|all)_proxy$/i.test(name) && value !== '')
}
