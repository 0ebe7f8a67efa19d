import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { startBadLink } from '../../electron/tunnels/test/bad-link.ts'
import { startSshdIn } from '../../electron/tunnels/test/sshd-in.ts'
import { nodeProgram } from '../rigs/built.ts'
import { freshFolder } from '../rigs/folder.ts'
import { noNetem, startNetworkMachine } from '../rigs/namespaces.ts'
import { freePort } from '../rigs/ports.ts'
import { runProgram, startProgram } from '../rigs/program.ts'
import { startSshd } from '../rigs/sshd.ts'

/** Half of the round trip in each direction. */
const line = { delayMs: 100, lossPercent: 2, rateKbit: 1000 }

/** A line of 200 ms, 2 % loss and 1 Mbit, to an SSH server and to a server without anything in between. */
export interface BadLine {
  /** `netem` where the kernel has it; else what TCP lets programs feel of such a line, made by a program. */
  kind: 'netem' | 'a program in between'
  /** A home with an SSH configuration whose host `far` is behind the line. */
  home: string
  /** One byte there and back, in ms. */
  roundTrip(): Promise<number>
  /** How long it takes to bring so many bytes over, in ms. */
  bring(bytes: number): Promise<number>
  stop(): Promise<void>
}

const serverScript = path.join(import.meta.dirname, 'line-server.mjs')

export async function startBadLine(): Promise<BadLine> {
  const { folder, remove } = freshFolder('badline')
  fs.mkdirSync(path.join(folder, '.ssh'), { mode: 0o700 })
  const made = (await noNetem()) === undefined ? await withNetem(folder) : await withProgram()
  const { ssh, bare } = made
  const config = [`Host far`, `HostName ${ssh.host}`, `Port ${ssh.port}`, `IdentityFile ${ssh.keyFile}`]
  fs.writeFileSync(path.join(folder, '.ssh', 'config'), `${config.join('\n')}\n`)
  fs.writeFileSync(path.join(folder, '.ssh', 'known_hosts'), `${ssh.knownHost}\n`)
  const connect = async (first: string) => {
    const socket = net.connect(bare)
    socket.setNoDelay(true)
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    socket.write(first)
    return socket
  }
  const echo = await connect('e ')
  await new Promise((resolve) => echo.once('data', resolve))
  return {
    kind: made.kind,
    home: folder,
    async roundTrip() {
      const began = performance.now()
      echo.write('x')
      await new Promise((resolve) => echo.once('data', resolve))
      return performance.now() - began
    },
    async bring(bytes) {
      const began = performance.now()
      const socket = await connect(`d ${bytes}`)
      let came = 0
      await new Promise<void>((resolve) => {
        socket.on('data', (chunk: Buffer) => {
          came += chunk.length
          if (came >= bytes) resolve()
        })
      })
      socket.destroy()
      return performance.now() - began
    },
    async stop() {
      echo.destroy()
      await made.stop()
      remove()
    },
  }
}

async function withNetem(folder: string) {
  const machine = await startNetworkMachine('100.64.11')
  const keyFile = path.join(folder, 'key')
  await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile])
  const authorizedKey = fs.readFileSync(`${keyFile}.pub`, 'utf8')
  const sshd = await startSshdIn(machine, { folder, address: machine.address, authorizedKey })
  const port = await freePort()
  const server = await machine.start(nodeProgram, [serverScript, machine.address, String(port)])
  await server.ready('the bare server', () => server.output().includes('listening'))
  await machine.impair(line)
  return {
    kind: 'netem' as const,
    ssh: { host: sshd.address, port: sshd.port, keyFile, knownHost: sshd.knownHost },
    bare: { host: machine.address, port },
    stop: () => machine.stop(),
  }
}

async function withProgram() {
  const [sshd, port] = [await startSshd(), await freePort()]
  const server = await startProgram(nodeProgram, [serverScript, '127.0.0.1', String(port)])
  await server.ready('the bare server', () => server.output().includes('listening'))
  // One each: what the bare connection carries must not stand in the console's way.
  const [toSsh, toBare] = [await startBadLink(sshd.port, line), await startBadLink(port, line)]
  return {
    kind: 'a program in between' as const,
    ssh: {
      ...{ host: '127.0.0.1', port: toSsh.port, keyFile: sshd.keyFile },
      knownHost: `[127.0.0.1]:${toSsh.port} ${sshd.hostKey}`,
    },
    bare: { host: '127.0.0.1', port: toBare.port },
    async stop() {
      await toSsh.stop()
      await toBare.stop()
      await server.end()
      await sshd.stop()
    },
  }
}
