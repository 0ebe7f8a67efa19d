import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from './folder.ts'
import { onProcessEnd } from './process-end.ts'
import { markedProcesses, processTree } from './processes.ts'
import { runProgram, startProgram } from './program.ts'

export interface Dockerd {
  pid: number
  socketPath: string
  /** Runs the docker command against this daemon. */
  docker(...args: string[]): Promise<string>
  /** Makes an image out of busybox alone: there is no registry to pull one from. */
  importBusybox(tag: string): Promise<void>
  /** Ends the daemon and leaves its folder as it is, as when it crashes or is being updated. */
  down(): Promise<void>
  /** Starts it again on the same folder and the same socket. */
  up(): Promise<void>
  stop(): Promise<void>
}

/** Why there can be no Docker daemon here; undefined when there can. */
export const noDockerd = process.getuid?.() === 0 ? undefined : 'a Docker daemon of its own needs root'

/** A Docker daemon of its own, without a network of its own: containers run with `--network=none` or `host`. */
export async function startDockerd(): Promise<Dockerd> {
  if (noDockerd !== undefined) throw new Error(noDockerd)
  const { folder, remove } = freshFolder('docker')
  const at = (name: string) => path.join(folder, name)
  const host = `unix://${at('docker.sock')}`
  const start = () =>
    startProgram('dockerd', [
      ...['--data-root', at('data'), '--exec-root', at('exec'), '-H', host, '-p', at('pid')],
      ...['--iptables=false', '--ip6tables=false', '--bridge=none'],
    ])
  let daemon = await start()
  // Containers are nobody's children: the daemon lets go of them so that they survive it.
  const forget = onProcessEnd(() => {
    const shims = markedProcesses(folder).flatMap(({ pid }) => processTree(pid))
    for (const { pid } of shims) process.kill(pid, 'SIGKILL')
  })
  const docker = (...args: string[]) => runProgram('docker', ['-H', host, ...args])
  const stop = async () => {
    await docker('ps', '-aq')
      .then((ids) => ids.split('\n').filter(Boolean))
      .then((ids) => (ids.length === 0 ? '' : docker('rm', '-f', ...ids)))
      // A daemon that no longer answers still has to go.
      .catch(() => {})
    if (daemon.exitCode === undefined) await daemon.end()
    await unmount(folder)
    forget()
    remove()
  }
  const ready = () =>
    daemon.ready('the Docker daemon', () => docker('version', '--format', '{{.Server.Version}}'), 60_000)
  try {
    await ready()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    get pid() {
      return daemon.pid
    },
    socketPath: at('docker.sock'),
    docker,
    async importBusybox(tag) {
      const bin = path.join(folder, 'image', 'bin')
      mkdirSync(bin, { recursive: true })
      copyFileSync('/bin/busybox', path.join(bin, 'busybox'))
      chmodSync(path.join(bin, 'busybox'), 0o755)
      for (const name of [
        'sh',
        'echo',
        'cat',
        'sleep',
        'true',
        'false',
        'seq',
        'date',
        'env',
        'ls',
        'yes',
        'touch',
        'tail',
      ]) {
        symlinkSync('busybox', path.join(bin, name))
      }
      const archive = at('image.tar')
      await runProgram('tar', ['-C', at('image'), '-cf', archive, '.'])
      await docker('import', '--change', 'CMD ["sh"]', archive, tag)
    },
    down: () => daemon.end(),
    async up() {
      daemon = await start()
      await ready()
    },
    stop,
  }
}

/** Layers and namespaces that a daemon which was killed left mounted would keep the folder from going. */
async function unmount(folder: string): Promise<void> {
  const mounts = await runProgram('cat', ['/proc/self/mounts'])
  const inside = mounts
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mount) => mount.startsWith(`${folder}/`))
  for (const mount of inside.reverse()) await runProgram('umount', ['-l', mount]).catch(() => {})
}
