import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { makeSecret } from '../server/secrets.ts'
import type { Surroundings } from './install-packages.ts'
import { configFolder, launchdPlist, plistPath, serviceGroup, systemdUnit, unitPath } from './service-unit.ts'

export interface ServiceOptions {
  printOnly: boolean
  platform: NodeJS.Platform
  node: string
  agent: string
  /** In front of every path; empty on a real machine. */
  root?: string
}

/** Makes the agent a service that starts with the machine and comes back when it ends; returns the exit code. */
export async function installService(options: ServiceOptions, around: Surroundings): Promise<number> {
  if (options.platform !== 'linux' && options.platform !== 'darwin') {
    throw new Error('Services are made with systemd on Linux and launchd on macOS; this is neither.')
  }
  const linux = options.platform === 'linux'
  const user = linux ? serviceGroup : (process.env['SUDO_USER'] ?? os.userInfo().username)
  const groups = groupNames(options.root ?? '')
  const places = { node: options.node, agent: options.agent, user }
  const text = linux
    ? systemdUnit({ ...places, groups: groups.filter((name) => usefulGroups.includes(name)) })
    : launchdPlist(places)
  if (options.printOnly) {
    around.say(text)
    return 0
  }
  if (!around.isRoot) {
    const command = ['sudo', options.node, options.agent, 'install', 'service'].join(' ')
    around.say(`Making a service needs root, which this is not. Nothing was changed. Run:\n  ${command}\n`)
    return 1
  }
  const account = linux ? accountSteps(groups) : []
  if (!(await runAll(account, around))) return 1
  for (const file of linux ? [options.node, options.agent] : []) {
    if ((await around.run(['runuser', '-u', user, '--', 'test', '-r', file])) === 0) continue
    around.say(
      `The service runs as ${user}, who may not read ${file}. Put it into /opt/pilothouse, then run this again.\n`,
    )
    return 1
  }
  const secret = writeFiles(options.root ?? '', linux ? unitPath : plistPath, text)
  const started = await runAll(linux ? systemdSteps : launchdSteps(user), around)
  if (started) around.say(`The agent runs as a service, as ${user}. Its settings are in ${configFolder}/agent.env.\n`)
  // Where the start failed as well: another try finds the secret there, and shows none.
  if (secret !== undefined) around.say(`Its secret, shown this once:\n${secret}\n`)
  return started ? 0 : 1
}

/** Of these, those that there are: to speak with Docker, and to read the journal or the system's log files. */
const usefulGroups = ['docker', 'systemd-journal', 'adm']

const systemdSteps = [
  ['systemctl', 'daemon-reload'],
  ['systemctl', 'enable', 'pilothouse-agent.service'],
  ['systemctl', 'restart', 'pilothouse-agent.service'],
]

function launchdSteps(user: string): string[][] {
  return [
    ['install', '-d', '-m', '0700', '-o', user, '/var/db/pilothouse'],
    ['chown', user, `${configFolder}/secret`],
    // One that is there already is taken out first: launchd takes no job twice.
    ['launchctl', 'bootout', 'system/com.pilothouse.agent'],
    ['launchctl', 'bootstrap', 'system', plistPath],
  ]
}

/** A user of its own, with a home and a shell: terminals are opened as it. */
function accountSteps(groups: readonly string[]): string[][] {
  if (groups.includes(serviceGroup)) return []
  const home = `/var/lib/${serviceGroup}-home`
  return [
    ['useradd', '--system', '--user-group', '--create-home', '--home-dir', home, '--shell', '/bin/bash', serviceGroup],
  ]
}

/** Writes the service file and, where there are none yet, a secret and an empty configuration; returns a new secret. */
function writeFiles(root: string, serviceFile: string, text: string): string | undefined {
  const folder = path.join(root, configFolder)
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  const config = path.join(folder, 'agent.env')
  if (!fs.existsSync(config))
    fs.writeFileSync(config, '# PILOTHOUSE_… settings of the agent, one a line.\n', { mode: 0o644 })
  const secretFile = path.join(folder, 'secret')
  const secret = fs.existsSync(secretFile) ? undefined : makeSecret()
  if (secret !== undefined) fs.writeFileSync(secretFile, `${secret}\n`, { mode: 0o600, flag: 'wx' })
  const target = path.join(root, serviceFile)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  fs.writeFileSync(`${target}.new`, text, { mode: 0o644 })
  fs.renameSync(`${target}.new`, target)
  return secret
}

async function runAll(steps: readonly (readonly string[])[], around: Surroundings): Promise<boolean> {
  for (const step of steps) {
    const code = await around.run(step)
    if (code === 0 || step[1] === 'bootout') continue
    around.say(`"${step.join(' ')}" ended with code ${code}. What it printed says why; run this again afterwards.\n`)
    return false
  }
  return true
}

function groupNames(root: string): string[] {
  try {
    const lines = fs.readFileSync(path.join(root, '/etc/group'), 'utf8').split('\n')
    return lines.map((line) => line.split(':')[0] ?? '')
  } catch {
    return []
  }
}
