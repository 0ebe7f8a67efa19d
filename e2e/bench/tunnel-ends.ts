import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { makeSshHome } from '../../electron/tunnels/test/ssh-home.ts'
import { nodeProgram } from '../rigs/built.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { startProgram } from '../rigs/program.ts'
import { startSshd } from '../rigs/sshd.ts'

export type Dial = () => Promise<Duplex>

/** The console's SSH and `ssh -L`, both to the same program through the same server. */
export interface TunnelEnds {
  ours: Dial
  ssh: Dial
  close(): Promise<void>
}

export async function openTunnelEnds(): Promise<TunnelEnds> {
  const sshd = await startSshd()
  const [port, local] = [await freePort(), await freePort()]
  const source = await startProgram(nodeProgram, [path.join(import.meta.dirname, 'tunnel-source.ts'), String(port)])
  await source.ready('the far end', () => accepts({ port }))
  const forward = ['-N', '-c', 'aes128-gcm@openssh.com', '-L', `127.0.0.1:${local}:127.0.0.1:${port}`]
  const ssh = await startProgram('ssh', [...forward, ...sshd.sshArgs])
  await ssh.ready('the forwarding', () => accepts({ port: local }))
  const home = makeSshHome()
  home.writeConfig(
    'Host box',
    'HostName 127.0.0.1',
    `Port ${sshd.port}`,
    `User ${sshd.user}`,
    `IdentityFile ${sshd.keyFile}`,
  )
  fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
  const { connection, release } = home.connections.hold({ host: 'box' })
  await connection.ready()
  return {
    ours: () => connection.open({ port }),
    ssh: () =>
      new Promise((resolve, reject) => {
        const socket = net.connect({ port: local, host: '127.0.0.1', noDelay: true })
        socket.once('error', reject)
        socket.once('connect', () => resolve(socket))
      }),
    async close() {
      release()
      await ssh.end()
      await source.end()
      await sshd.stop()
      home.remove()
    },
  }
}
