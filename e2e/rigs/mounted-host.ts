import { chmodSync, copyFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { nodeProgram } from './built.ts'
import { freshFolder } from './folder.ts'
import { freePort } from './ports.ts'
import { startProgram } from './program.ts'
import { type Sshd, startSshd } from './sshd.ts'

export interface MountedHost {
  sshd: Sshd
  /** Where the agent that is installed there will listen. */
  agentPort: number
  /** A program that is our Node in a few bytes, for tests that copy it often. */
  lightNode: string
  /** Runs a command as the machine would see it; gives its output. */
  inside(command: string): Promise<string>
  stop(): Promise<void>
}

/** Why there can be no such machine here; undefined when there can. */
export const noMountedHost = process.getuid?.() === 0 ? undefined : 'a machine of its own needs root'

/** What is written here is thrown away with the machine. */
const changeable = ['/etc', '/opt', '/var/lib', '/run']

/**
 * Another machine, as far as files go: an SSH server whose sessions live in a mount namespace of their own, with a
 * stand-in for systemd that starts and stops what a unit says.
 */
export async function startMountedHost(): Promise<MountedHost> {
  const { folder, remove } = freshFolder('host')
  chmodSync(folder, 0o755)
  const agentPort = await freePort()
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  const script = (name: string, text: string) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}`, { mode: 0o755 })
    return path.join(bin, name)
  }
  script('systemctl', systemctl)
  // Where every user of the machine can run it: the project may stand in a private folder.
  const node = path.join(folder, 'node')
  try {
    linkSync(nodeProgram, node)
  } catch {
    copyFileSync(nodeProgram, node)
  }
  const lightNode = script('light-node', `exec ${node} "$@"\n`)
  const overlays = changeable.map((place) => {
    const layer = `/mnt/layers${place}`
    return `mkdir -p ${layer}/up ${layer}/work && mount -t overlay overlay -o lowerdir=${place},upperdir=${layer}/up,workdir=${layer}/work ${place}`
  })
  const setUp = [
    'mount --make-rprivate /',
    'mount -t tmpfs tmpfs /mnt',
    ...overlays,
    'mkdir -p /etc/pilothouse',
    `echo PILOTHOUSE_PORT=${agentPort} > /etc/pilothouse/agent.env`,
    'echo $$ > /mnt/holder',
    'echo ready',
    'exec sleep infinity',
  ].join(' && ')
  const holder = await startProgram('unshare', ['--mount', 'sh', '-c', setUp])
  await holder.ready('the namespace', () => holder.output().includes('ready'))
  const enter = (command: string) => `exec nsenter --mount=/proc/${holder.pid}/ns/mnt sh -c ${command}`
  const session = script(
    'session',
    `export PATH=${bin}:$PATH\ncase "$SSH_ORIGINAL_COMMAND" in *sftp*) ${enter('/usr/lib/openssh/sftp-server')} ;; esac\n${enter('"$SSH_ORIGINAL_COMMAND"')}\n`,
  )
  // Debian's bash reads the developer's own ~/.bashrc for every command that comes over SSH, unless it is not the first.
  const sshd = await startSshd([`ForceCommand ${session}`, 'SetEnv SHLVL=2'])
  return {
    ...{ sshd, agentPort, lightNode },
    async inside(command) {
      const { runProgram } = await import('./program.ts')
      return runProgram('nsenter', [`--mount=/proc/${holder.pid}/ns/mnt`, 'sh', '-c', command])
    },
    async stop() {
      await sshd.stop()
      const { runProgram } = await import('./program.ts')
      await runProgram('nsenter', [`--mount=/proc/${holder.pid}/ns/mnt`, path.join(bin, 'systemctl'), 'disable']).catch(
        () => '',
      )
      await holder.end()
      remove()
    },
  }
}

/** Enough of it for one unit: what it says is run, as its user, and ended again. */
const systemctl = `unit=/etc/systemd/system/pilothouse-agent.service
end() {
  [ -f /run/agent.pid ] || return 0
  pids="$(cat /run/agent.pid) $(pgrep -P "$(cat /run/agent.pid)")"
  kill $pids 2>/dev/null
  for pid in $pids; do
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
    kill -9 "$pid" 2>/dev/null
  done
  rm -f /run/agent.pid
}
case "$1" in
  restart)
    end
    mkdir -p /run/pilothouse /run/cred /var/lib/pilothouse
    cp /etc/pilothouse/secret /run/cred/secret
    chown -R pilothouse /run/pilothouse /run/cred /var/lib/pilothouse
    chmod 0400 /run/cred/secret
    set --
    for pair in $(sed -n 's/^Environment=//p' $unit | sed 's#%d#/run/cred#'); do set -- "$@" "$pair"; done
    start=$(sed -n 's/^ExecStart=//p' $unit | tr -d '"')
    setsid runuser -u pilothouse -- env -i PATH="$PATH" HOME=/tmp "$@" $start >/run/agent.log 2>&1 </dev/null &
    echo $! > /run/agent.pid
    # A test run that is killed takes its machine along, and the machine what runs on it.
    setsid sh -c "while kill -0 $(cat /mnt/holder); do sleep 1; done; pkill -P $!; kill $!" >/dev/null 2>&1 </dev/null & ;;
  disable) end ;;
esac
exit 0
`
