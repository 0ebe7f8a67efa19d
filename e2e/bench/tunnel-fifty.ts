import fs from 'node:fs'
import path from 'node:path'
import { makeSshHome } from '../../electron/tunnels/test/ssh-home.ts'
import { proportionalBytes } from '../rigs/processes.ts'
import { type Program, runProgram, startProgram } from '../rigs/program.ts'
import { startSshd } from '../rigs/sshd.ts'
import { until } from '../rigs/until.ts'
import type { Bench } from './bench.ts'
import { atMostTimes } from './target.ts'

const machines = 50
const weightScript = path.join(import.meta.dirname, 'tunnel-fifty-weight.ts')

/** Fifty logins at once: as many connections of the console's own process, and as many `ssh` processes. */
async function prepare() {
  const sshd = await startSshd(['MaxStartups 200'])
  const home = makeSshHome()
  const hosts = Array.from({ length: machines }, (_, place) => `box-${place}`)
  const config = [
    ...['Host box-*', 'HostName 127.0.0.1', `Port ${sshd.port}`, `User ${sshd.user}`, `IdentityFile ${sshd.keyFile}`],
  ]
  const knownHosts = `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`
  home.writeConfig(...config)
  fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), knownHosts)

  const ours = {
    async tookMs() {
      const began = performance.now()
      const held = hosts.map((host) => home.connections.hold({ host }))
      await Promise.all(held.map(({ connection }) => connection.ready()))
      const tookMs = performance.now() - began
      for (const { release } of held) release()
      return tookMs
    },
    async bytes() {
      const told = JSON.stringify({ config, knownHosts, hosts })
      return Number(await runProgram(process.execPath, [weightScript, told]))
    },
  }
  const ssh = async () => {
    const began = performance.now()
    const programs: Program[] = await Promise.all(hosts.map(() => startProgram('ssh', ['-v', '-N', ...sshd.sshArgs])))
    await until(
      'fifty logins',
      () => programs.every((program) => program.output().includes('Authenticated to')),
      120_000,
    )
    const tookMs = performance.now() - began
    const bytes = programs.reduce((sum, { pid }) => sum + proportionalBytes(pid), 0)
    await Promise.all(programs.map((program) => program.end()))
    return { tookMs, bytes }
  }
  return {
    ours,
    ssh,
    async close() {
      await sshd.stop()
      home.remove()
    },
  }
}

function bench(name: string, unit: string, limit: number, figure: 'tookMs' | 'bytes', scale: number): Bench {
  return {
    ...{ name, unit, target: atMostTimes(limit), runs: 3, warmups: 1 },
    against: `${machines} ssh processes to the same server`,
    async open() {
      const { ours, ssh, close } = await prepare()
      return {
        ours: async () => (await ours[figure]()) / scale,
        yardstick: async () => (await ssh())[figure] / scale,
        close,
      }
    },
  }
}

export const tunnelFifty: readonly Bench[] = [
  bench('tunnel.fifty', 's', 0.3, 'tookMs', 1000),
  bench('tunnel.fifty.memory', 'MB', 0.2, 'bytes', 1e6),
]
