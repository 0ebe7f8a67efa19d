import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type InstallOptions, installPackages, type Surroundings } from './install-packages.ts'
import { installService } from './install-service.ts'
import { launchdPlist, systemdUnit } from './service-unit.ts'

let root: string
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'ph-install-'))
})
afterEach(() => fs.rmSync(root, { recursive: true }))

function surroundings(more: Partial<Surroundings> = {}) {
  const said: string[] = []
  const ran: string[] = []
  const around: Surroundings = {
    isRoot: true,
    say: (text) => void said.push(text),
    confirm: undefined,
    run: async (command) => {
      ran.push(command.join(' '))
      return 0
    },
    ...more,
  }
  return { around, said, ran }
}

const options: InstallOptions = { target: 'browser', yes: true, printOnly: false, packageManager: 'apt' }
const aptList =
  'chromium chromium-sandbox libnss3 libatk-bridge2.0-0 libdrm2 libxcomposite1 libxdamage1 libxrandr2 libgbm1 libasound2 libpangocairo-1.0-0 libgtk-3-0'

describe('installing packages', () => {
  test('runs the package manager, with the browser and the display', async () => {
    const { around, ran } = surroundings()
    expect(await installPackages(options, around)).toBe(0)
    expect(ran[0]).toBe('apt-get update')
    expect(ran[1]).toContain(`apt-get install -y --no-install-recommends ${aptList} tigervnc-standalone-server`)
  })
  test.each([
    ['dnf', 'dnf install -y chromium tigervnc-server-minimal'],
    ['apk', 'apk add chromium nss tigervnc'],
  ])('of %s', async (packageManager, command) => {
    const { around, ran } = surroundings()
    await installPackages({ ...options, packageManager }, around)
    expect(ran[0]).toContain(command)
  })
  test('a desktop brings a window manager and the display', async () => {
    const { around, ran } = surroundings()
    await installPackages({ ...options, target: 'desktop' }, around)
    expect(ran[1]).toMatch(/openbox .*tigervnc-standalone-server/)
  })
  test('only printed when asked', async () => {
    const { around, ran, said } = surroundings()
    expect(await installPackages({ ...options, printOnly: true, yes: false }, around)).toBe(0)
    expect([ran, said.join('')]).toEqual([[], expect.stringContaining(`apt-get update && apt-get install`)])
  })
  test.each([
    ['browser', 'apt', `${aptList} tigervnc-standalone-server tigervnc-common xauth ffmpeg fonts-liberation`],
    ['browser', 'dnf', 'chromium tigervnc-server-minimal xorg-x11-xauth ffmpeg-free liberation-fonts'],
    ['browser', 'apk', 'chromium nss tigervnc xauth ffmpeg font-liberation'],
    ['desktop', 'apt', /^openbox .*tigervnc-standalone-server .*ffmpeg/],
    ['desktop', 'dnf', /^openbox .*tigervnc-server-minimal .*ffmpeg-free/],
    ['desktop', 'apk', /^openbox .*tigervnc .*ffmpeg/],
  ] as const)('--print-only shows the %s of %s, whole, and runs nothing', async (target, packageManager, packages) => {
    const { around, ran, said } = surroundings({ isRoot: false })
    const code = await installPackages({ target, packageManager, yes: false, printOnly: true }, around)
    const [, printed = ''] = /(?:install -y(?: --no-install-recommends)?|apk add) (.*)\n/.exec(said.join('')) ?? []
    expect([code, ran]).toEqual([0, []])
    if (typeof packages === 'string') expect(printed).toBe(packages)
    else expect(printed).toMatch(packages)
  })
  test('without root it says so and prints the command', async () => {
    const { around, ran, said } = surroundings({ isRoot: false })
    expect(await installPackages(options, around)).toBe(1)
    expect(ran).toEqual([])
    expect(said.join('')).toMatch(/needs root.*\n {2}sudo apt-get update && sudo apt-get install/)
  })
  test('asks before it acts, and takes a no', async () => {
    const asked: string[] = []
    const confirm = async (question: string) => {
      asked.push(question)
      return false
    }
    const { around, ran } = surroundings({ confirm })
    expect(await installPackages({ ...options, yes: false }, around)).toBe(1)
    expect([ran, asked.length]).toEqual([[], 1])
    const nobody = surroundings()
    expect(await installPackages({ ...options, yes: false }, nobody.around)).toBe(1)
    expect(nobody.ran).toEqual([])
  })
  test('a failure is passed on', async () => {
    const { around } = surroundings({ run: async () => 100 })
    expect(await installPackages(options, around)).toBe(100)
  })
  test('an unknown package manager is refused', async () => {
    await expect(installPackages({ ...options, packageManager: 'brew' }, surroundings().around)).rejects.toThrow(
      'apt, dnf, apk',
    )
  })
})

describe('installing the service', () => {
  const places = { node: '/usr/bin/node', agent: '/opt/pilot house/100%.mjs', user: 'root', groups: [] }
  const serviceOptions = { printOnly: false, platform: 'linux', node: '/bin/sh', agent: '/bin/true' } as const

  test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd accepts the unit', () => {
    const file = path.join(root, 'pilothouse-agent.service')
    fs.writeFileSync(file, systemdUnit({ ...places, node: '/bin/sh' }).replace('Group=pilothouse', 'Group=root'))
    const checked = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    const ours = checked.stderr.split('\n').filter((line) => line.includes('pilothouse-agent'))
    expect(ours).toEqual([])
    expect(checked.status, checked.stderr).toBe(0)
  })
  test('the unit keeps the secret out of the environment, and paths as they are', () => {
    const unit = systemdUnit({ ...places, groups: ['docker'] })
    expect(unit).toContain('ExecStart="/usr/bin/node" "/opt/pilot house/100%%.mjs" serve\n')
    expect(unit).toContain('LoadCredential=secret:')
    expect(unit).not.toMatch(/PILOTHOUSE_SECRET=/)
    for (const line of ['Restart=always', 'RuntimeDirectory=pilothouse', 'SupplementaryGroups=docker']) {
      expect(unit).toContain(`${line}\n`)
    }
    // Would end Chromium's sandbox and sudo.
    expect(unit).not.toMatch(/NoNewPrivileges|SystemCallFilter|RestrictNamespaces|PrivateDevices|LockPersonality/)
  })
  test('the plist escapes what XML needs escaped', () => {
    const plist = launchdPlist({ ...places, agent: '/opt/a&b<c>.mjs' })
    expect(plist).toContain('<string>/opt/a&amp;b&lt;c&gt;.mjs</string>')
    expect(plist).toContain('<key>KeepAlive</key>\n  <true/>')
  })
  test('writes unit, secret and settings, shows the secret once, and starts it', async () => {
    const { around, said, ran } = surroundings()
    expect(await installService({ ...serviceOptions, root }, around)).toBe(0)
    const secret = fs.readFileSync(path.join(root, 'etc/pilothouse/secret'), 'utf8').trim()
    expect(fs.statSync(path.join(root, 'etc/pilothouse/secret')).mode & 0o777).toBe(0o600)
    expect(said.join('')).toContain(secret)
    expect(fs.readFileSync(path.join(root, 'etc/systemd/system/pilothouse-agent.service'), 'utf8')).toContain(
      '[Service]',
    )
    expect(ran[0]).toContain('useradd --system')
    expect(ran.slice(-3)).toEqual([
      'systemctl daemon-reload',
      'systemctl enable pilothouse-agent.service',
      'systemctl restart pilothouse-agent.service',
    ])
    fs.writeFileSync(path.join(root, 'etc/group'), 'root:x:0:\npilothouse:x:999:\n')
    const again = surroundings()
    expect(await installService({ ...serviceOptions, root }, again.around)).toBe(0)
    expect(again.said.join('')).not.toContain(secret)
    expect(again.ran.join()).not.toContain('useradd')
    expect(fs.readFileSync(path.join(root, 'etc/pilothouse/secret'), 'utf8').trim()).toBe(secret)
  })
  test('shows the secret that it made, where the start fails as well', async () => {
    const run = async (step: readonly string[]) => (step[0] === 'systemctl' ? 1 : 0)
    const { around, said } = surroundings({ run })
    expect(await installService({ ...serviceOptions, root }, around)).toBe(1)
    expect(said.join('')).toContain('"systemctl daemon-reload" ended with code 1')
    expect(said.join('')).not.toContain('runs as a service')
    expect(said.join('')).toContain(fs.readFileSync(path.join(root, 'etc/pilothouse/secret'), 'utf8').trim())
  })
  test('its user is in the groups that speak with Docker and read the logs, as far as there are such', async () => {
    fs.mkdirSync(path.join(root, 'etc'))
    fs.writeFileSync(path.join(root, 'etc/group'), 'root:x:0:\nadm:x:4:\nsystemd-journal:x:101:\nwheel:x:9:\n')
    const { around, said } = surroundings()
    await installService({ ...serviceOptions, printOnly: true, root }, around)
    expect(said.join('')).toContain('\nSupplementaryGroups=adm systemd-journal\n')
  })
  test('an agent in a folder that its user may not enter is not made a service', async () => {
    const ran: string[] = []
    const run = async (step: readonly string[]) => {
      ran.push(step[0] ?? '')
      return step.at(-1) === serviceOptions.agent ? 1 : 0
    }
    const { around, said } = surroundings({ run })
    expect(await installService({ ...serviceOptions, root }, around)).toBe(1)
    expect(said.join('')).toMatch(/pilothouse, who may not read \/bin\/true\. Put it into/)
    expect([ran, fs.readdirSync(root)]).toEqual([['useradd', 'runuser', 'runuser'], []])
  })
  test('on macOS a job that is there already is replaced', async () => {
    const ran: string[] = []
    const run = async (step: readonly string[]) => {
      ran.push(step.join(' '))
      return step[1] === 'bootout' ? 3 : 0
    }
    const { around } = surroundings({ run })
    expect(await installService({ ...serviceOptions, platform: 'darwin', root }, around)).toBe(0)
    expect(ran.slice(-2).map((step) => step.split(' ').slice(0, 2).join(' '))).toEqual([
      'launchctl bootout',
      'launchctl bootstrap',
    ])
  })
  test('without root it changes nothing and prints the command', async () => {
    const { around, said, ran } = surroundings({ isRoot: false })
    expect(await installService({ ...serviceOptions, root }, around)).toBe(1)
    expect([ran, fs.readdirSync(root)]).toEqual([[], []])
    expect(said.join('')).toContain('sudo /bin/sh /bin/true install service')
  })
  test.each(['linux', 'darwin'] as const)('--print-only shows the file of %s', async (platform) => {
    const { around, said } = surroundings({ isRoot: false })
    expect(await installService({ ...serviceOptions, platform, printOnly: true, root }, around)).toBe(0)
    expect(said.join('')).toContain(platform === 'linux' ? '[Service]' : '<plist version="1.0">')
  })
  test('anywhere else it says what it needs', async () => {
    await expect(installService({ ...serviceOptions, platform: 'win32' }, surroundings().around)).rejects.toThrow(
      'systemd',
    )
  })
})
