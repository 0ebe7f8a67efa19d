/**
 * Chromium leaves many of the console's descriptors open for children: its databases, its channels to other
 * processes. The agent, and through it the browser it starts, must not have them. Node cannot close them when
 * it starts a child, so the child does it first of all, before it loads anything of the agent. What is marked
 * close-on-exec is its own, or goes when it starts the agent proper.
 */
const code = `
import fs from 'node:fs'
const closeOnExec = 0o2000000
for (const name of fs.readdirSync('/proc/self/fd')) {
  if (Number(name) <= 2) continue
  try {
    const flags = /^flags:\\s*(\\d+)/m.exec(fs.readFileSync('/proc/self/fdinfo/' + name, 'utf8'))
    if (flags && (parseInt(flags[1], 8) & closeOnExec) === 0) fs.closeSync(Number(name))
  } catch {}
}`

/** Arguments for Node; elsewhere than on Linux a child inherits nothing it was not given. */
export const dropInherited: readonly string[] =
  process.platform === 'linux' ? ['--import', `data:text/javascript,${encodeURIComponent(code)}`] : []
