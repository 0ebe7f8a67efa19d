import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { freshFolder } from '../../../e2e/rigs/folder.ts'
import { runProgram } from '../../../e2e/rigs/program.ts'
import type { PromptAnswer, ShownPrompt } from '../prompts.ts'
import { Prompts } from '../prompts.ts'
import { SshConnections } from '../ssh/connections.ts'
import type { SshEnvironment } from '../ssh/resolve-host.ts'

/** A person's own SSH folder, in a place of its own, and a person who answers as a test tells them. */
export interface SshHome {
  folder: string
  environment: SshEnvironment
  prompts: Prompts
  shown: ShownPrompt[]
  connections: SshConnections
  kept: Map<string, string>
  /** What the person does when asked; nothing unless told. */
  onPrompt: (prompt: ShownPrompt) => PromptAnswer | undefined
  writeConfig(...lines: string[]): void
  knownHosts(): string
  makeKey(
    name: string,
    type: 'ed25519' | 'rsa' | 'ecdsa',
    passphrase?: string,
  ): Promise<{ file: string; public: string }>
  remove(): void
}

export function makeSshHome(): SshHome {
  const { folder, remove } = freshFolder('sshhome')
  const ssh = path.join(folder, '.ssh')
  fs.mkdirSync(ssh, { mode: 0o700 })
  const environment: SshEnvironment = {
    home: folder,
    userName: os.userInfo().username,
    configFiles: [path.join(ssh, 'config')],
    globalKnownHosts: [],
    env: {},
  }
  const kept = new Map<string, string>()
  const vault = {
    get: async (id: string, kind: string) => kept.get(`${id} ${kind}`),
    set: async (id: string, kind: string, value: string) => {
      kept.set(`${id} ${kind}`, value)
      return 'keychain' as const
    },
    state: async () => ({ state: 'ready' as const, detail: '' }),
  }
  const shown: ShownPrompt[] = []
  const prompts = new Prompts({
    shown: (prompt) => {
      shown.push(prompt)
      const answer = home.onPrompt(prompt)
      if (answer !== undefined) setImmediate(() => prompts.answer({ ...answer, id: prompt.id } as never))
    },
    closed: () => {},
  })
  const home: SshHome = {
    ...{ folder, environment, prompts, shown, kept },
    connections: new SshConnections({ prompts, vault, log: () => {}, environment: () => environment }),
    onPrompt: () => undefined,
    writeConfig: (...lines) => fs.writeFileSync(path.join(ssh, 'config'), `${lines.join('\n')}\n`),
    knownHosts: () => fs.readFileSync(path.join(ssh, 'known_hosts'), 'utf8'),
    async makeKey(name, type, passphrase = '') {
      const file = path.join(ssh, name)
      await runProgram('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', name, '-f', file])
      return { file, public: fs.readFileSync(`${file}.pub`, 'utf8') }
    },
    remove,
  }
  return home
}
