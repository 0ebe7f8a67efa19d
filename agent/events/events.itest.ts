import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { followEvents } from '../../shared/client/events.ts'
import type { AgentSocket } from '../../shared/client/socket.ts'
import { EventLog } from './events.service.ts'

let rig: TestAgent
beforeAll(async () => {
  rig = await startTestAgent()
})
afterAll(() => rig.stop())

interface Message {
  type: string
  seq?: number
  gap?: boolean
  reason?: string
}

/** Reads from a socket until a message fits. */
function until(socket: AgentSocket<'events'>, fits: (message: Message) => boolean): Promise<Message[]> {
  const seen: Message[] = []
  return new Promise((resolve) => {
    socket.onMessage = (message) => {
      seen.push(message as Message)
      if (fits(message as Message)) resolve(seen)
    }
  })
}

/** Something that makes an event: a stop of a browser that is off publishes none, so the state itself is asked. */
const opened = (since?: number) => rig.client.open('events', since === undefined ? {} : { since })

test('numbers go on after a restart, and since replays what came meanwhile', async () => {
  const socket = await opened()
  const [hello] = await until(socket, (message) => message.type === 'hello')
  expect(hello).toMatchObject({ type: 'hello', gap: false })
  const last = hello?.seq ?? 0
  const closed = socket.closed
  await rig.restart()
  expect((await closed).code).toBe(1001)

  const again = await opened(last)
  const replayed = await until(again, (message) => message.type === 'agent_started')
  const numbers = replayed.flatMap((message) => (message.type === 'hello' ? [] : [message.seq ?? -1]))
  expect(numbers).toEqual(numbers.map((_number, index) => last + 1 + index))
  expect(replayed.map((message) => message.type)).toEqual(['hello', 'agent_stopping', 'agent_started'])
  again.close()
})

test('a follower that lost its connection misses nothing and sees nothing twice', async () => {
  const seen: number[] = []
  const types: string[] = []
  let restarts = 0
  const done = Promise.withResolvers<void>()
  const stop = followEvents(
    rig.client,
    {
      onEvent: (event) => {
        seen.push(event.seq)
        types.push(event.type)
        if (types.filter((type) => type === 'agent_started').length === 2) done.resolve()
      },
      onOpen: () => void (restarts++ < 2 && rig.restart()),
    },
    undefined,
  )
  await done.promise
  stop()
  expect(seen).toEqual(seen.map((_seq, index) => (seen[0] ?? 0) + index))
  expect(types).toEqual(['agent_stopping', 'agent_started', 'agent_stopping', 'agent_started'])
})

test('a replay of any length comes whole to a client that reads, and goes over to what happens', async () => {
  await rig.agent.stop('events are made')
  const log = new EventLog(rig.dataDir)
  const text = 'x'.repeat(8192)
  const first = log.lastSeq
  for (let i = 0; i < 1500; i++) log.publish('build_output', { imageTag: 'v1', text })
  log.close()
  await rig.restart()
  const socket = await opened(first)
  const replayed = await until(socket, (message) => message.type === 'agent_started')
  const numbers = replayed.flatMap((message) => (message.type === 'hello' ? [] : [message.seq ?? -1]))
  expect(numbers).toEqual(numbers.map((_number, index) => first + 1 + index))
  expect(numbers.length).toBe(1501)
  const stopping = until(socket, (message) => message.type === 'agent_stopping')
  await rig.restart()
  expect((await stopping).map(({ seq }) => seq)).toEqual([first + 1502])
})

test('a client whose events are gone, or who is ahead of us, is told that there is a gap', async () => {
  const ahead = await opened(1_000_000)
  const [hello] = await until(ahead, (message) => message.type === 'hello')
  expect(hello?.gap).toBe(true)
  ahead.close()
})

test('text that is no message of the socket closes it', async () => {
  const socket = await opened()
  socket.send({ type: 'nonsense' } as never)
  expect((await socket.closed).code).toBe(1008)
  const binary = await opened()
  binary.sendBytes(new Uint8Array([1, 2, 3]))
  expect((await binary.closed).code).toBe(1003)
})

test('old events are dropped, their numbers are not used again', () => {
  const log = new EventLog(`${rig.dataDir}/other`)
  for (let i = 0; i < 22_000; i++) log.publish('viewers', { count: i })
  expect(log.lastSeq).toBe(22_000)
  expect(log.oldestSeq).toBe(2001)
  expect(log.after(21_998).map((event) => event['count'])).toEqual([21_998, 21_999])
  log.close()
  const reopened = new EventLog(`${rig.dataDir}/other`)
  reopened.publish('viewers', { count: 1 })
  expect(reopened.lastSeq).toBe(22_001)
  reopened.close()
})

test('what a listener publishes in answer is heard after what it answers to, by everyone', () => {
  const { folder, remove } = freshFolder('events')
  const log = new EventLog(folder)
  const heard: [number, string][] = []
  log.subscribe(({ type }) => type === 'sandbox_active' && log.publish('agent_started', { agentVersion: '0.1.0' }))
  log.subscribe(({ seq, type }) => heard.push([seq, type]))
  log.publish('sandbox_active', { sandboxId: 'a' })
  log.publish('sandbox_active', { sandboxId: 'b' })
  expect(heard).toEqual([
    [1, 'sandbox_active'],
    [2, 'agent_started'],
    [3, 'sandbox_active'],
    [4, 'agent_started'],
  ])
  log.close()
  remove()
})

test('a disk that takes nothing keeps no event from those who listen; who replays is told of a gap', () => {
  const { folder: dataDir, remove } = freshFolder('events')
  const logged: string[] = []
  const log = new EventLog(dataDir, (_level, message) => void logged.push(message))
  const told: number[] = []
  log.subscribe(({ seq }) => void told.push(seq))
  log.publish('agent_started', { agentVersion: '1' })
  log.publish('agent_started', { agentVersion: '2' })
  const breaker = new DatabaseSync(path.join(dataDir, 'events.db'))
  breaker.exec('ALTER TABLE events RENAME TO gone')
  log.publish('agent_stopping', { reason: 'lost' })
  log.publish('agent_stopping', { reason: 'lost too' })
  expect(told).toEqual([1, 2, 3, 4])
  expect(logged).toEqual(['events cannot be stored'])
  breaker.exec('ALTER TABLE gone RENAME TO events')
  breaker.close()
  log.publish('agent_stopping', { reason: 'stored' })
  expect(told).toEqual([1, 2, 3, 4, 5])
  // Nothing from before the gap is left: whoever saw number 2 last learns that something is missing.
  expect([log.oldestSeq, log.lastSeq]).toEqual([5, 5])
  expect(log.after(0).map(({ seq }) => seq)).toEqual([5])
  log.close()
  const next = new EventLog(dataDir)
  next.publish('agent_started', { agentVersion: '3' })
  expect(next.lastSeq).toBe(6)
  next.close()
  remove()
})
