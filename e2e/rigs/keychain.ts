import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from './folder.ts'
import { type Program, runProgram, startProgram } from './program.ts'

export interface Keychain {
  /** What a program needs to find this keychain and no other. */
  env: NodeJS.ProcessEnv
  pids: number[]
  stop(): Promise<void>
}

/**
 * A session bus that starts nothing by itself: on an ordinary one the first question for a keychain may start a
 * second daemon, which then holds the name and stays locked.
 */
const busConfig = (address: string) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>${address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

/** Under load the daemon may stand still while it makes its keyring; one that does for this long is replaced. */
const readyLimitsMs = [15_000, 40_000] as const

/** A real keychain: a D-Bus session of its own with an unlocked gnome-keyring on it. */
export async function startKeychain(): Promise<Keychain> {
  const { folder, remove } = freshFolder('keys')
  const inside = (name: string) => {
    const made = path.join(folder, name)
    mkdirSync(made, { mode: 0o700 })
    return made
  }
  const address = `unix:path=${path.join(folder, 'bus')}`
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: inside('home'),
    XDG_RUNTIME_DIR: inside('run'),
    XDG_DATA_HOME: inside('data'),
    XDG_CONFIG_HOME: inside('config'),
    XDG_CACHE_HOME: inside('cache'),
    DBUS_SESSION_BUS_ADDRESS: address,
  }
  const config = path.join(folder, 'bus.conf')
  writeFileSync(config, busConfig(address))
  const bus = await startProgram('dbus-daemon', [`--config-file=${config}`, '--nofork', '--nopidfile'], { env })
  const ask = (destination: string, object: string, method: string, ...args: string[]) =>
    runProgram(
      'dbus-send',
      // Without a limit of its own a single question that is not answered would take all the patience there is.
      ['--session', '--print-reply', '--reply-timeout=3000', `--dest=${destination}`, object, method, ...args],
      { env },
    )
  let keyring: Program | undefined
  const startKeyring = async (limitMs: number): Promise<Program> => {
    keyring = await startProgram('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env,
      input: 'a password for tests',
    })
    const secrets = '/org/freedesktop/secrets'
    await keyring.ready(
      'an unlocked keychain',
      async () => {
        const method = 'org.freedesktop.Secret.Service.ReadAlias'
        const answer = await ask('org.freedesktop.secrets', secrets, method, 'string:default')
        return answer.includes(`${secrets}/collection/`)
      },
      limitMs,
    )
    return keyring
  }
  const stop = async () => {
    await keyring?.end()
    await bus.end()
    remove()
  }
  try {
    await bus.ready('the session bus', () => ask('org.freedesktop.DBus', '/', 'org.freedesktop.DBus.GetId'))
    const [first, second] = readyLimitsMs
    const ready = await startKeyring(first).catch(async () => {
      await keyring?.end()
      return startKeyring(second)
    })
    return { env, pids: [bus.pid, ready.pid], stop }
  } catch (error) {
    await stop()
    throw error
  }
}
