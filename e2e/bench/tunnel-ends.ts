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

/** Ways to a port of the machine: the console's SSH, and what `ssh -L` listens on here. */
export interface Forwards {
  ours: Dial
  sshPort: number
  close(): Promise<void>
}

/** The console's SSH and `ssh -L`, both to the same program through the same server. */
export interface TunnelEnds {
  ours: Dial
  ssh: Dial
  close(): Promise<void>
}

export async function openTunnelEnds(): Promise<TunnelEnds> {
  const port = await freePort()
  const source = await startProgram(nodeProgram, [path.join(import.meta.dirname, 'tunnel-source.ts'), String(port)])
  await source.ready('the far end', () => accepts({ port }))
  const forwards = await openForwards(port, port)
  return {
    ours: forwards.ours,
    ssh: () =>
      new Promise((resolve, reject) => {
        const socket = net.connect({ port: forwards.sshPort, host: '127.0.0.1', noDelay: true })
        socket.once('error', reject)
        socket.once('connect', () => resolve(socket))
      }),
    async close() {
      await source.end()
      await forwards.close()
    },
  }
}

/** One SSH server, and through it the console's way to one port and `ssh -L` to another. */
export async function openForwards(port: number, peerPort: number): Promise<Forwards> {
  const sshd = await startSshd()
  const sshPort = await freePort()
  const forward = ['-N', '-c', 'aes128-gcm@openssh.com', '-L', `127.0.0.1:${sshPort}:127.0.0.1:${peerPort}`]
  const ssh = await startProgram('ssh', [...forward, ...sshd.sshArgs])
  await ssh.ready('the forwarding', () => accepts({ port: sshPort }))
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
    sshPort,
    async close() {
      release()
      await ssh.end()
      await sshd.stop()
      home.remove()
    },
  }
}
