import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { SocketReceive } from '../../shared/contract/index.ts'
import type { ServerSocket } from '../server/handlers.ts'
import { spawnPty } from './pty.ts'
import { Recording } from './recording.ts'
import { TerminalService } from './terminal.service.ts'
import { Terminal } from './terminal.ts'

let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('terms'))
})
afterEach(() => remove())

/** The agent's end of a socket without a network. */
function fakeSocket() {
  const told: SocketReceive<'terminal'>[] = []
  const socket: ServerSocket<'terminal'> & { told: typeof told; text: string } = {
    told,
    text: '',
    send: (message) => told.push(message),
    sendBytes(bytes) {
      socket.text += Buffer.from(bytes).toString('latin1')
    },
    bufferedBytes: 0,
    pause() {},
    resume() {},
    close: () => socket.onClose(),
    onMessage: () => {},
    onBytes: () => {},
    onClose: () => {},
  }
  return socket
}

const caller = { operator: 'Tester', peer: 'unix', requestId: '1' }

test('a terminal that nobody comes back to is ended', async () => {
  const actions: string[] = []
  const terminals = new TerminalService({
    dataDir: folder,
    audit: { begin: ({ action }) => actions.push(action), finish: () => {} },
    log: () => {},
    settings: () => ({ shell: '/bin/sh', terminalUser: undefined, commandEnv: [], recordTerminals: false }),
    keptDetachedMs: 300,
  })
  const socket = fakeSocket()
  void (await terminals.prepare({ cols: 80, rows: 24 }, caller))(socket)
  await until('the terminal', () => socket.told.length > 0)
  expect(terminals.open).toBe(1)
  socket.onClose()
  await until('its end', () => terminals.open === 0)
  expect(actions).toEqual(['terminal_close'])
  expect(fs.readdirSync(path.join(folder, 'open-terminals'))).toEqual([])
})

test('what is typed while the shell is being started is not lost, nor in another order', async () => {
  const terminals = new TerminalService({
    dataDir: folder,
    audit: { begin: () => 1, finish: () => {} },
    log: () => {},
    settings: () => ({ shell: '/bin/sh', terminalUser: undefined, commandEnv: [], recordTerminals: false }),
  })
  const socket = fakeSocket()
  void (await terminals.prepare({ cols: 80, rows: 24 }, caller))(socket)
  expect(socket.told).toEqual([])
  socket.onMessage({ type: 'resize', cols: 101, rows: 31 })
  socket.onBytes(Buffer.from('stty size; echo o'))
  socket.onBytes(Buffer.from('ne-two\r'))
  await until('both', () => /31 101\s+one-two/.test(socket.text))
  await terminals.close()
})

test('one whose client comes back in time is not', async () => {
  const terminals = new TerminalService({
    dataDir: folder,
    audit: { begin: () => 1, finish: () => {} },
    log: () => {},
    settings: () => ({ shell: '/bin/sh', terminalUser: undefined, commandEnv: [], recordTerminals: false }),
    keptDetachedMs: 2000,
  })
  const first = fakeSocket()
  void (await terminals.prepare({ cols: 80, rows: 24 }, caller))(first)
  const ready = await until('the terminal', () => first.told.find((message) => message.type === 'ready'))
  first.onClose()
  const second = fakeSocket()
  void (await terminals.prepare({ cols: 80, rows: 24, id: ready.id }, caller))(second)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  expect(terminals.open).toBe(1)
  await terminals.close()
  expect(terminals.open).toBe(0)
})

test('whoever was taken over from neither types nor acknowledges any more, even if it stays', async () => {
  const terminals = new TerminalService({
    dataDir: folder,
    audit: { begin: () => 1, finish: () => {} },
    log: () => {},
    settings: () => ({ shell: '/bin/sh', terminalUser: undefined, commandEnv: [], recordTerminals: false }),
  })
  const [first, second] = [fakeSocket(), fakeSocket()]
  // It does not answer the close.
  first.close = () => {}
  void (await terminals.prepare({ cols: 80, rows: 24 }, caller))(first)
  const ready = await until('the terminal', () => first.told.find((message) => message.type === 'ready'))
  void (await terminals.prepare({ cols: 80, rows: 24, id: ready.id }, caller))(second)
  await until('the second client', () => second.told.length > 0)
  first.onBytes(Buffer.from('echo fi""rst\r'))
  first.onMessage({ type: 'ack', bytes: 0 })
  // More than may be under way to a client that acknowledges; this one never did.
  second.onBytes(Buffer.from('head -c 3000000 /dev/zero | tr "\\0" y; echo la""st\r'))
  await until('all of it', () => second.text.includes('last'))
  expect(second.text).not.toContain('first')
  await terminals.close()
})

test('where recording is the policy, a recording that is full ends its terminal and says so', async () => {
  const recording = new Recording({
    dataDir: folder,
    id: 'abcdefgh',
    cols: 80,
    rows: 24,
    shell: '/bin/sh',
    maxBytes: 20_000,
  })
  const env = { PATH: process.env['PATH'] ?? '' }
  const pty = await spawnPty({ program: '/bin/sh', args: [], cols: 80, rows: 24, cwd: '/', env })
  let ended = false
  const terminal = new Terminal({
    ...{ id: 'abcdefgh', pty, recording },
    onDetach: () => {},
    onEnd: () => {
      ended = true
    },
  })
  const socket = fakeSocket()
  terminal.attach(socket, null, undefined)
  socket.onBytes(Buffer.from('yes\r'))
  await until('the end', () => ended)
  expect(socket.told.find((message) => message.type === 'error')?.message).toContain('limit of 20000 bytes')
  expect(fs.readFileSync(path.join(folder, 'terminals', recording.name), 'utf8')).toContain('y\\r\\ny')
})
