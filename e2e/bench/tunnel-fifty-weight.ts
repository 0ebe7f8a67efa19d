import fs from 'node:fs'
import path from 'node:path'
import { makeSshHome } from '../../electron/tunnels/test/ssh-home.ts'

/**
 * A process of its own that holds connections to all hosts it is told of, and says by how many bytes it grew by that:
 * one that did other things before has room for them already, and would not grow at all.
 */
const { config, knownHosts, hosts } = JSON.parse(process.argv[2] ?? '') as {
  config: string[]
  knownHosts: string
  hosts: string[]
}
const home = makeSshHome()
home.writeConfig(...config)
fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), knownHosts)
const before = process.memoryUsage().rss
const held = hosts.map((host) => home.connections.hold({ host }))
await Promise.all(held.map(({ connection }) => connection.ready()))
console.log(process.memoryUsage().rss - before)
for (const { release } of held) release()
home.remove()
process.exit()
