import fs from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import ssh2 from 'ssh2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { noNamespaces } from '../../../e2e/rigs/namespaces.ts'
import { runProgram, startProgram } from '../../../e2e/rigs/program.ts'
import { type Sshd, startSshd } from '../../../e2e/rigs/sshd.ts'
import { until } from '../../../e2e/rigs/until.ts'
import { makeSshHome, type SshHome } from '../test/ssh-home.ts'

const password = 'canary password 7f21'
let home: SshHome
beforeEach(() => {
  home = makeSshHome()
})
afterEach(() => home.remove())

const trust = (port: number, key: string) =>
  fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), `[127.0.0.1]:${port} ${key}\n`)
const use = (port: number, user: string) =>
  home.writeConfig('Host box', 'HostName 127.0.0.1', `Port ${port}`, `User ${user}`, 'IdentityFile ~/.ssh/none')
async function logIn(): Promise<void> {
  const { connection, release } = home.connections.hold({ host: 'box' })
  await connection.ready().finally(release)
}
const questions = () => home.shown.map((prompt) => ('questions' in prompt ? prompt.questions : []))

describe.skipIf(noNamespaces !== undefined).each([
  ['keyboard-interactive', ['KbdInteractiveAuthentication yes'], 'Password:'],
  ['password', ['PasswordAuthentication yes'], 'Password of root'],
] as const)('%s, against a real SSH server with PAM', (method, config, text) => {
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd(config, { password })
  })
  afterAll(() => sshd?.stop())
  beforeEach(() => {
    trust(sshd.port, sshd.hostKey)
    use(sshd.port, sshd.user)
  })

  test('a person is asked, may be wrong twice, and is let in; what they typed is kept nowhere', async () => {
    const typed = ['wrong', 'wrong again', password]
    home.onPrompt = () => ({ action: 'answer', answers: [typed.shift() ?? ''], remember: true })
    const before = sshd.output().length
    await logIn()
    expect(questions()).toEqual(Array.from({ length: 3 }, () => [{ text, echo: false }]))
    expect(home.shown[0]).toMatchObject({ kind: 'keyboard-interactive', host: 'box', title: 'box asks root' })
    await until('the server to say so', () => sshd.output().slice(before).includes(`Accepted ${method}`))
    expect([...home.kept.values()]).toEqual([])
  })

  test('three wrong answers are the end: the server is not tried again and the reason is given', async () => {
    home.onPrompt = () => ({ action: 'answer', answers: ['wrong'], remember: false })
    await expect(logIn()).rejects.toMatchObject({
      code: 'ssh-auth-failed',
      message: expect.stringContaining('what was typed') as string,
    })
    expect(home.shown).toHaveLength(3)
  })

  test('whoever cancels is not asked again by itself', async () => {
    home.onPrompt = () => ({ action: 'cancel' })
    await expect(logIn()).rejects.toMatchObject({
      code: 'ssh-auth-failed',
      message: expect.stringContaining('was cancelled') as string,
    })
    expect(home.shown).toHaveLength(1)
  })
})

describe('host certificates', () => {
  test.skipIf(noNamespaces !== undefined)(
    'cannot be checked: of a host whose authority is trusted that is said, its key is asked about, and without an answer nothing is sent',
    async () => {
      const { file } = await home.makeKey('authority', 'ed25519')
      const signed = path.join(home.folder, 'host')
      await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', signed])
      await runProgram('ssh-keygen', ['-q', '-s', file, '-h', '-I', 'box', '-n', '127.0.0.1', `${signed}.pub`])
      const sshd = await startSshd([`HostKey ${signed}`, `HostCertificate ${signed}-cert.pub`], { password })
      try {
        const authority = fs.readFileSync(`${file}.pub`, 'utf8')
        const known = path.join(home.folder, '.ssh', 'known_hosts')
        fs.writeFileSync(known, `@cert-authority [127.0.0.1]:${sshd.port} ${authority}`)
        home.writeConfig('Host box', 'HostName 127.0.0.1', `Port ${sshd.port}`, `IdentityFile ${sshd.keyFile}`)
        const before = sshd.output().length
        home.onPrompt = () => ({ action: 'cancel' })
        await expect(logIn()).rejects.toMatchObject({ code: 'host-key-unknown' })
        expect(home.shown).toMatchObject([
          { kind: 'host-key', note: expect.stringContaining('cannot check certificates') as string },
        ])
        expect(sshd.output().slice(before)).not.toMatch(/userauth-request|Accepted|Failed|authenticating user/)

        home.prompts.personActs()
        home.onPrompt = () => ({ action: 'accept' })
        await logIn()
        expect(home.knownHosts()).toContain('ssh-ed25519')
      } finally {
        await sshd.stop()
      }
    },
  )
})

test('who has only a certificate for the machine is told that it cannot be used here, and not to start an SSH agent', async () => {
  const authority = await home.makeKey('authority', 'ed25519')
  const key = await home.makeKey('mine', 'ed25519')
  const sshd = await startSshd([`TrustedUserCAKeys ${authority.file}.pub`, 'AuthorizedKeysFile none'])
  const socket = path.join(home.folder, 'agent.sock')
  const sshAgent = await startProgram('ssh-agent', ['-D', '-a', socket])
  try {
    await sshAgent.ready('the SSH agent', () => fs.existsSync(socket))
    await runProgram('ssh-keygen', ['-q', '-s', authority.file, '-I', 'me', '-n', sshd.user, `${key.file}.pub`])
    const env = { ...process.env, SSH_AUTH_SOCK: socket }
    await runProgram('ssh-add', ['-q', key.file], { env })
    // The machine does let it in.
    const port = ['-p', String(sshd.port), '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']
    await runProgram('ssh', ['-F', 'none', '-o', 'BatchMode=yes', ...port, `${sshd.user}@127.0.0.1`, 'true'], { env })
    trust(sshd.port, sshd.hostKey)
    use(sshd.port, sshd.user)
    home.environment.env = { SSH_AUTH_SOCK: socket }
    await expect(logIn()).rejects.toMatchObject({
      code: 'ssh-auth-failed',
      message: expect.stringMatching(/has ssh-ed25519-cert-v01@openssh\.com, which the console cannot use/) as string,
    })
  } finally {
    await sshAgent.end()
    await sshd.stop()
  }
})

/** PAM asks one question at a time and only tame ones: this server asks as a hostile one would. */
describe('a server that asks what it likes', () => {
  let server: ssh2.Server
  let port = 0
  let rounds: { prompt: string; echo: boolean }[][] = []
  const answered: string[][] = []
  beforeEach(async () => {
    answered.length = 0
    const key = ssh2.utils.generateKeyPairSync('ed25519')
    server = new ssh2.Server({ hostKeys: [key.private] }, (client) => {
      client.on('error', () => {})
      client.on('authentication', (context) => {
        if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive'])
        const ask = (round: number) => {
          const asked = rounds[round]
          if (asked === undefined) return context.accept()
          context.prompt(asked, '\u001b]0;owned\u0007Bank\u202e', (answers: string[]) => {
            answered.push(answers)
            ask(round + 1)
          })
        }
        ask(0)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    trust(port, key.public.split(' ').slice(0, 2).join(' '))
    use(port, 'ada')
  })
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())))

  test('several questions in several rounds reach the person, each once, and the answers go back in order', async () => {
    rounds = [
      [
        { prompt: 'Password: ', echo: false },
        { prompt: 'Code: ', echo: true },
      ],
      [{ prompt: 'New code: ', echo: true }],
    ]
    const typed = [['secret', '123'], ['456']]
    home.onPrompt = () => ({ action: 'answer', answers: typed.shift() ?? [], remember: false })
    await logIn()
    expect(answered).toEqual([['secret', '123'], ['456']])
    expect(questions()).toEqual([
      [
        { text: 'Password:', echo: false },
        { text: 'Code:', echo: true },
      ],
      [{ text: 'New code:', echo: true }],
    ])
  })

  test('what it says is shown as one line of text, and not at any length', async () => {
    rounds = [[{ prompt: `\u001b[2J\r\nPass\u2066word\u0000${'x'.repeat(5000)}`, echo: false }]]
    home.onPrompt = () => ({ action: 'answer', answers: ['x'], remember: false })
    await logIn()
    const shown = JSON.stringify(home.shown)
    expect(shown).toContain('Bank')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(shown).not.toMatch(/[\u0000-\u001f\u202e\u2066]|\\u00|\\r|\\n/)
    expect(questions()[0]?.[0]?.text.length).toBeLessThanOrEqual(500)
  })

  test('one that goes on asking for ever is left, not endured', async () => {
    rounds = Array.from({ length: 1000 }, (_, round) => [{ prompt: `Question ${round}: `, echo: true }])
    home.onPrompt = () => ({ action: 'answer', answers: ['x'], remember: false })
    await expect(logIn()).rejects.toMatchObject({
      code: 'ssh-auth-failed',
      message: expect.stringContaining('goes on asking') as string,
    })
    expect(home.shown).toHaveLength(12)
  })
})
