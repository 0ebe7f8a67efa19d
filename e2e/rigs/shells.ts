import fs from 'node:fs'
import path from 'node:path'
import type { Locator } from 'playwright'
import { startTestAgent, type TestAgent } from './agent.ts'
import { type AgentProcess, startAgentProcess } from './agent-process.ts'
import { type CutLine, startCutLine } from './cut-line.ts'
import { startConsole, type TestConsole } from './electron.ts'
import { freshFolder } from './folder.ts'
import { startSshd } from './sshd.ts'
import { until } from './until.ts'

/** A console with two machines that give shells: `shells` over a line that can be cut, `box` behind a real sshd. */
export interface Shells {
  console: TestConsole
  agent: TestAgent
  line: CutLine
  behindSsh: AgentProcess
  ids: Record<string, string>
  at(testId: string): Locator
  /** A file that shells can write to. */
  file(name: string): string
  /** Its text, once a whole line stands in it. */
  written(name: string): Promise<string>
  go(machine: string, tab: string): Promise<void>
  /** What a terminal shows, as a screen reader is told it. */
  shown(place?: number): Promise<string>
  open(): Promise<void>
  type(text: string): Promise<void>
  stop(): Promise<void>
}

export async function startShells(): Promise<Shells> {
  const { folder, remove } = freshFolder('terme2e')
  const home = path.join(folder, 'home')
  fs.mkdirSync(path.join(home, '.ssh'), { recursive: true, mode: 0o700 })
  const [agent, behindSsh, sshd] = await Promise.all([
    startTestAgent({ PILOTHOUSE_SHELL: '/bin/sh' }),
    startAgentProcess({ PILOTHOUSE_SHELL: '/bin/sh' }),
    startSshd(),
  ])
  const line = await startCutLine(() => agent.port)
  const config = ['Host box', 'HostName 127.0.0.1', `Port ${sshd.port}`, `User ${sshd.user}`]
  fs.writeFileSync(path.join(home, '.ssh', 'config'), [...config, `IdentityFile ${sshd.keyFile}`, ''].join('\n'))
  fs.writeFileSync(path.join(home, '.ssh', 'known_hosts'), `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
  const console = await startConsole({ env: { HOME: home } })
  const page = console.window
  await page.evaluate(() => window.pilothouse.invoke('settings.set', { screenReader: true }))
  const ids: Record<string, string> = {}
  const add = async (name: string, tunnel: object, secret: string) => {
    const answer = await page.evaluate(
      ([name, tunnel, secret]) =>
        window.pilothouse.invoke('fleet.add', {
          name,
          environment: 'dev',
          machineType: 'ssh_host',
          tunnel,
          secret,
        }),
      [name, tunnel, secret] as const,
    )
    if (!answer.ok) throw new Error(JSON.stringify(answer))
    ids[name] = (answer.value as { id: string }).id
  }
  await add('shells', { kind: 'direct', host: '127.0.0.1', port: line.port }, agent.secret)
  const remote = { socketPath: behindSsh.socketPath }
  await add('box', { kind: 'ssh', host: 'box', remote }, behindSsh.secret)
  const at = (testId: string) => page.getByTestId(testId)
  const file = (name: string) => path.join(folder, name)
  return {
    ...{ console, agent, line, behindSsh, ids, at, file },
    written: (name) =>
      until(`${name} to be written`, () => {
        const text = fs.existsSync(file(name)) ? fs.readFileSync(file(name), 'utf8') : ''
        return text.endsWith('\n') && text
      }),
    go: (machine, tab) =>
      page.evaluate((hash) => {
        window.location.hash = hash
      }, `#/machine/${ids[machine]}/${tab}`),
    async shown(place = 0) {
      const text = await at('terminal').nth(place).locator('.xterm-accessibility-tree').innerText()
      return text.replaceAll('\u00a0', ' ')
    },
    open: () => page.locator('[data-testid=terminal][data-phase=open]').first().waitFor(),
    async type(text) {
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
    },
    async stop() {
      await console.stop()
      await line.stop()
      await agent.stop()
      await behindSsh.stop()
      await sshd.stop()
      remove()
    },
  }
}
