import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { startAgentProcess } from '../../e2e/rigs/agent-process.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { isRunning, residentBytes } from '../../e2e/rigs/processes.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { AgentClient } from '../../shared/client/client.ts'
import type { AgentSocket } from '../../shared/client/socket.ts'
import type { SocketParams, SocketReceive } from '../../shared/contract/index.ts'
import type { Problem } from '../../shared/errors.ts'

/** A terminal as a client sees it: what it showed, what it was told, and a way to type. */
class Screen {
  readonly socket: AgentSocket<'terminal'>
  readonly told: SocketReceive<'terminal'>[] = []
  bytes = Buffer.alloc(0)
  acknowledge = true

  static async open(client: AgentClient, params: SocketParams<'terminal'> = {}): Promise<Screen> {
    const screen = new Screen(await client.open('terminal', params))
    await until('the terminal to be ready', () => screen.told.some(({ type }) => type === 'ready'))
    return screen
  }

  private constructor(socket: AgentSocket<'terminal'>) {
    this.socket = socket
    socket.onMessage = (message) => this.told.push(message)
    socket.onBytes = (bytes) => {
      this.bytes = Buffer.concat([this.bytes, bytes])
      if (this.acknowledge) socket.send({ type: 'ack', bytes: bytes.length })
    }
  }

  get ready(): Extract<SocketReceive<'terminal'>, { type: 'ready' }> {
    const ready = this.told.find((message) => message.type === 'ready')
    if (ready === undefined) throw new Error('not ready')
    return ready
  }

  get exit() {
    return this.told.find((message) => message.type === 'exit')
  }

  get text(): string {
    return this.bytes.toString('utf8')
  }

  type(text: string): void {
    this.socket.sendBytes(Buffer.from(text))
  }

  /** Waits for a match of what was shown; commands are typed so that their echo does not match. */
  shows(pattern: RegExp): Promise<RegExpExecArray> {
    return until(`${pattern} on the screen`, () => pattern.exec(this.text) ?? undefined).catch((error: Error) => {
      throw new Error(`${error.message}; it shows: ${JSON.stringify(this.text.slice(-500))}`)
    })
  }
}

const agents: TestAgent[] = []
async function start(env: Record<string, string> = {}): Promise<TestAgent> {
  const rig = await startTestAgent({ PILOTHOUSE_SHELL: '/bin/bash', ...env })
  agents.push(rig)
  return rig
}
let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('term'))
})
afterEach(async () => {
  for (const rig of agents.splice(0)) await rig.stop()
  remove()
})

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error as Problem,
  )
const gone = (pid: number) => until(`the end of ${pid}`, () => !isRunning(pid))
const shellPid = async (screen: Screen) => {
  screen.type('echo "pid"=$$\r')
  return Number((await screen.shows(/pid=(\d+)/))[1])
}

describe('a terminal', () => {
  test('is a login shell that knows what it is', async () => {
    const { client } = await start()
    const screen = await Screen.open(client, { cwd: folder, cols: 101, rows: 33 })
    screen.type('shopt -q login_shell && echo "T"=$TERM "D"=$PWD "S"=$(stty size) "E"=$(env | grep -c PILOTHOUSE)\r')
    const found = await screen.shows(/T=(\S+) D=(\S+) S=(\d+ \d+) E=(\d+)/)
    expect(found.slice(1)).toEqual(['xterm-256color', folder, '33 101', '0'])
  })

  test('is resized', async () => {
    const { client } = await start()
    const screen = await Screen.open(client)
    screen.socket.send({ type: 'resize', cols: 132, rows: 43 })
    screen.type('echo "size:"$(stty size)\r')
    await screen.shows(/size:43 132/)
  })

  test('passes every byte, in whichever pieces letters come', async () => {
    const { client } = await start()
    const screen = await Screen.open(client)
    screen.type('stty raw -echo; echo "rea""dy"; head -c 1043 | od -An -v -tx1 | tr -d " \\n"; stty sane\r')
    await screen.shows(/ready/)
    const ship = Buffer.from('🚢ü汉\0\xff', 'latin1')
    const all = Buffer.concat([Buffer.from('🚢ü汉'), ship, Buffer.from(Array.from({ length: 256 }, (_, i) => i))])
    const sent = Buffer.concat([all, Buffer.alloc(1043 - all.length, 'x')])
    for (let at = 0; at < sent.length; at += 3) screen.socket.sendBytes(sent.subarray(at, at + 3))
    await screen.shows(new RegExp(sent.toString('hex')))
    screen.type('printf "\\360\\237"; sleep 0.2; printf "\\232\\242<\\n"\r')
    await screen.shows(/🚢</)
  })

  test('takes a paste of a megabyte while its program is slow to read', async () => {
    const { client } = await start()
    const screen = await Screen.open(client)
    screen.type(
      `stty raw -echo; echo "rea""dy"; sleep 1; head -c 1000000 > ${folder}/paste; stty sane; echo "do""ne"\r`,
    )
    await screen.shows(/ready/)
    const paste = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => 97 + (i % 26)))
    for (let at = 0; at < paste.length; at += 50_000) screen.socket.sendBytes(paste.subarray(at, at + 50_000))
    await screen.shows(/done/)
    expect(fs.readFileSync(path.join(folder, 'paste')).equals(paste)).toBe(true)
  })

  test('passes signals to the program in front, not to the shell', async () => {
    const { client } = await start()
    const screen = await Screen.open(client)
    screen.type(
      'bash -c \'trap "echo ca""ught" INT; echo wait""ing; while :; do sleep 0.05; done\'; echo "co""de"=$?\r',
    )
    await screen.shows(/waiting/)
    screen.socket.send({ type: 'signal', signal: 'SIGINT' })
    await screen.shows(/caught/)
    screen.socket.send({ type: 'signal', signal: 'SIGKILL' })
    await screen.shows(/code=137/)
  })

  test('says how its shell ended', async () => {
    const { client } = await start()
    const first = await Screen.open(client)
    first.type('echo las""t words; exit 7\r')
    expect(await first.socket.closed).toMatchObject({ code: 1000 })
    expect(first.exit).toEqual({ type: 'exit', exitCode: 7, signal: null })
    expect(first.text).toContain('last words')
    const second = await Screen.open(client)
    second.type('kill -9 $$\r')
    await second.socket.closed
    expect(second.exit).toEqual({ type: 'exit', exitCode: null, signal: 'SIGKILL' })
  })

  test('loses no output when its shell ends while the reader is slow', async () => {
    const { client } = await start()
    const screen = await Screen.open(client)
    screen.socket.send({ type: 'ack', bytes: 0 })
    screen.acknowledge = false
    screen.type('head -c 1300000 /dev/zero | tr "\\0" y; echo "TH""E END"; exit 0\r')
    await until('the output to stop', () => screen.bytes.length > 1_000_000)
    // Longer than node-pty waits for a reader.
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(screen.text.includes('THE END')).toBe(false)
    screen.acknowledge = true
    screen.socket.send({ type: 'ack', bytes: screen.bytes.length })
    await screen.socket.closed
    expect(screen.text.slice(-60)).toContain('THE END')
    expect(screen.text.match(/y/g)?.length).toBeGreaterThanOrEqual(1_300_000)
    expect(screen.exit).toMatchObject({ exitCode: 0 })
  })

  test('is in the audit log from its opening to its end, with who and how long', async () => {
    const { client } = await start()
    const screen = await Screen.open(client)
    screen.type('exit 3\r')
    await screen.socket.closed
    const entries = await until('both entries', async () => {
      const { entries } = await client.call('audit.list', {})
      const found = entries.filter(({ action }) => action.startsWith('terminal_'))
      return found.length === 2 ? found : undefined
    })
    expect(entries.map(({ action, operator, result }) => [action, operator, result])).toEqual([
      ['terminal_close', 'Tester', 'success'],
      ['terminal_open', 'Tester', 'success'],
    ])
    expect(entries[0]?.details).toMatchObject({ exitCode: 3 })
    expect(JSON.stringify(entries)).not.toContain(screen.ready.id)
  })
})

describe('back-pressure', () => {
  test('a reader that reads nothing, or acknowledges nothing, does not grow the agent', async () => {
    const agent = await startAgentProcess({ PILOTHOUSE_SHELL: '/bin/bash' })
    try {
      const unread = await Screen.open(agent.client)
      const unacknowledged = await Screen.open(agent.client)
      unacknowledged.socket.send({ type: 'ack', bytes: 0 })
      unacknowledged.acknowledge = false
      const before = residentBytes(agent.pid)
      unread.type('yes\r')
      unread.socket.pause()
      unacknowledged.type('yes\r')
      await until('output', () => unacknowledged.bytes.length > 400_000)
      await new Promise((resolve) => setTimeout(resolve, 2000))
      expect(residentBytes(agent.pid) - before).toBeLessThan(50e6)
      expect(unacknowledged.bytes.length).toBeLessThan(2e6)
      // Ctrl-C still gets through, and output goes on once it is taken.
      unacknowledged.acknowledge = true
      unacknowledged.socket.send({ type: 'ack', bytes: unacknowledged.bytes.length })
      unacknowledged.type('\x03')
      unacknowledged.type('echo "go""es on"\r')
      await unacknowledged.shows(/goes on/)
    } finally {
      await agent.stop()
    }
  })
})

test('a program that does not read what is typed stops nobody else', async () => {
  const agent = await startAgentProcess({ PILOTHOUSE_SHELL: '/bin/bash' })
  try {
    const deaf = await Screen.open(agent.client)
    deaf.type(`stty raw -echo; echo "rea""dy"; sleep 1000\r`)
    await deaf.shows(/ready/)
    for (let sent = 0; sent < 1_000_000; sent += 50_000) deaf.socket.sendBytes(Buffer.alloc(50_000, 'x'))
    const other = await Screen.open(agent.client)
    other.type('echo "he""ard"\r')
    await other.shows(/heard/)
    expect((await agent.client.call('machine.health')).openTerminals).toBe(2)
  } finally {
    await agent.stop()
  }
})

describe('a dropped connection', () => {
  test('keeps the shell and every byte of its output', async () => {
    const { client } = await start()
    const first = await Screen.open(client)
    first.type('for i in $(seq 1 3000); do echo "line "$i; (( i % 500 )) || sleep 0.1; done; echo "al""l out"\r')
    await first.shows(/line 600/)
    first.socket.close()
    await first.socket.closed
    const received = first.bytes.length
    const second = await Screen.open(client, { id: first.ready.id, received })
    expect(second.ready).toMatchObject({ id: first.ready.id, reattached: true, position: received })
    await second.shows(/all out/)
    const whole = Buffer.concat([first.bytes, second.bytes]).toString('utf8')
    const lines = [...whole.matchAll(/^line (\d+)\r$/gm)].map((match) => Number(match[1]))
    expect(lines).toEqual(Array.from({ length: 3000 }, (_, i) => i + 1))
  })

  test('fills the screen of a client that knows nothing of it', async () => {
    const { client } = await start()
    const first = await Screen.open(client)
    first.type('echo "bef""ore"\r')
    await first.shows(/before/)
    first.socket.close()
    const second = await Screen.open(client, { id: first.ready.id, cols: 99, rows: 20 })
    expect(second.ready.position).toBe(0)
    await second.shows(/before/)
    second.type('echo "size:"$(stty size)\r')
    await second.shows(/size:20 99/)
  })

  test('is taken over by a second client, and the first is told by whom', async () => {
    const rig = await start()
    const first = await Screen.open(rig.client)
    const second = await Screen.open(rig.clientAs({ secret: rig.secret, operator: 'Zoë' }), { id: first.ready.id })
    expect(await first.socket.closed).toMatchObject({ code: 4001 })
    expect(first.told).toContainEqual({ type: 'taken_over', operator: 'Zoë' })
    second.type('echo "mi""ne"\r')
    await second.shows(/mine/)
  })

  test('of a terminal that has ended meanwhile: whoever comes back learns how', async () => {
    const { client } = await start()
    const first = await Screen.open(client)
    first.type('sleep 0.5; echo "wh""ile away"; exit 9\r')
    await first.shows(/exit 9/)
    const pid = first.ready.id
    first.socket.close()
    await first.socket.closed
    await until('the shell to end', async () => {
      const { entries } = await client.call('audit.list', { action: 'terminal_close' })
      return entries.length === 1
    })
    const second = await Screen.open(client, { id: pid })
    await second.socket.closed
    expect(second.text).toContain('while away')
    expect(second.exit).toMatchObject({ exitCode: 9 })
  })

  test('an id that is not known is refused', async () => {
    const { client } = await start()
    expect((await problemOf(client.open('terminal', { id: 'x'.repeat(32) }))).code).toBe('not-found')
  })
})

describe('nothing is left behind', () => {
  /** A job that ignores a hang-up, one in the background and the shell itself. */
  const fill = async (screen: Screen) => {
    screen.type('(trap "" HUP TERM; while :; do sleep 0.1; done) & echo "jo""b"=$!; sleep 1000 & echo "bg"=$!\r')
    const job = Number((await screen.shows(/job=(\d+)/))[1])
    const background = Number((await screen.shows(/bg=(\d+)/))[1])
    return [job, background, await shellPid(screen)]
  }

  test('when it is closed', async () => {
    const { client } = await start()
    const screen = await Screen.open(client)
    const pids = await fill(screen)
    screen.socket.send({ type: 'close' })
    await screen.socket.closed
    for (const pid of pids) await gone(pid)
    expect((await problemOf(client.open('terminal', { id: screen.ready.id }))).code).toBe('not-found')
  })

  test('when the agent stops', async () => {
    const rig = await start()
    const screen = await Screen.open(rig.client)
    const pids = await fill(screen)
    await rig.agent.stop('test')
    for (const pid of pids) expect(isRunning(pid)).toBe(false)
  })

  test('when the agent is killed: shells end at once, and the next agent ends what ignored it', async () => {
    const agent = await startAgentProcess({ PILOTHOUSE_SHELL: '/bin/bash' })
    const [one, two] = [await Screen.open(agent.client), await Screen.open(agent.client)]
    const pids = [...(await fill(one)), await shellPid(two)]
    const [job = 0, background = 0, ...shells] = pids
    process.kill(agent.pid, 'SIGKILL')
    for (const pid of shells) await gone(pid)
    const next = await startTestAgent({ PILOTHOUSE_DATA_DIR: agent.dataDir })
    for (const pid of [job, background]) await gone(pid)
    await next.stop()
    await agent.stop()
  })

  test('a terminal is no file of the programs that are started after it', async () => {
    const { client } = await start()
    const [one, two] = [await Screen.open(client), await Screen.open(client)]
    const masters = (pid: number) =>
      fs.readdirSync(`/proc/${pid}/fd`).filter((fd) => fs.readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith('ptmx'))
    for (const screen of [one, two]) expect(masters(await shellPid(screen))).toEqual([])
    const { stdout } = await client.call('exec.run', { command: 'ls -l /proc/self/fd' })
    expect(stdout).not.toContain('ptmx')
  })
})

describe('what is refused', () => {
  test('says why', async () => {
    const { client } = await start()
    expect((await problemOf(client.open('terminal', { cwd: '/no/such/folder' }))).code).toBe('invalid-params')
    expect((await problemOf(client.open('terminal', { cwd: '/etc/passwd' }))).code).toBe('invalid-params')
    const { client: locked } = await start({ PILOTHOUSE_SHELL: '/usr/sbin/nologin' })
    expect((await problemOf(locked.open('terminal'))).code).toBe('forbidden')
  })

  test('the thirty-third', async () => {
    const { client } = await start({ PILOTHOUSE_SHELL: '/bin/sh' })
    for (let i = 0; i < 32; i++) await Screen.open(client)
    const problem = await problemOf(client.open('terminal'))
    expect([problem.status, problem.code]).toEqual([429, 'too-many-requests'])
  })
})

describe('a machine that records', () => {
  test('keeps the output as asciicast, private, and says so', async () => {
    const { client, dataDir } = await start({ PILOTHOUSE_RECORD_TERMINALS: '1' })
    const screen = await Screen.open(client, { cols: 90, rows: 25 })
    expect(screen.ready.recorded).toBe(true)
    screen.socket.send({ type: 'resize', cols: 100, rows: 30 })
    screen.type('read -s -p "pass""word:" password; echo "tha""nks"\r')
    await screen.shows(/password:/)
    screen.type('canary\r')
    await screen.shows(/thanks/)
    screen.type('echo "shi""p 🚢"; exit\r')
    await screen.socket.closed
    const [name = ''] = fs.readdirSync(path.join(dataDir, 'terminals'))
    const file = path.join(dataDir, 'terminals', name)
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    const [header, ...events] = fs
      .readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(header).toMatchObject({ version: 2, width: 90, height: 25 })
    expect(events.some(([, kind, data]) => kind === 'r' && data === '100x30')).toBe(true)
    const shown = events.flatMap(([, kind, data]) => (kind === 'o' ? data : [])).join('')
    expect(shown).toBe(screen.text)
    expect(shown).toContain('ship 🚢')
    expect(shown).not.toContain('canary')
    const { entries } = await client.call('audit.list', { action: 'terminal_close' })
    expect(entries[0]?.details['recording']).toBe(name)
  })

  test('opens none when it cannot record', async () => {
    const { client, dataDir } = await start({ PILOTHOUSE_RECORD_TERMINALS: '1' })
    fs.writeFileSync(path.join(dataDir, 'terminals'), 'a file where the folder should be')
    const socket = await client.open('terminal')
    const told: string[] = []
    socket.onMessage = (message) => told.push(message.type)
    expect((await socket.closed).code).toBe(1011)
    expect(told).toEqual(['error'])
    const opened = async () => (await client.call('audit.list', { action: 'terminal_open' })).entries[0]?.result
    await expect.poll(opened).toBe('failure')
  })
})
