import { beforeEach, expect, test, vi } from 'vitest'
import type { LogLine } from '../../../shared/contract/logs.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import { machine } from '../machine/machine.fixture.ts'
import type { Since } from './choices.store.ts'
import { type FeedState, LogFeed } from './feed.ts'
import type { ToEngine } from './model/protocol.ts'

vi.mock('../../app/streams.ts', () => ({ openPort: async () => ({ close: () => {} }) }))

const line = (second: number): LogLine => ({
  timestamp: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000000Z`,
  message: `line ${second}`,
  service: 'api',
  seq: 0,
})
const agent = { up: true, lines: [] as LogLine[], kept: [] as LogLine[], asked: [] as unknown[] }

beforeEach(() => {
  Object.assign(agent, { up: true, lines: [line(1), line(2), line(3)], kept: [], asked: [] })
  vi.stubGlobal('window', { pilothouse: { invoke } })
  setState('running')
})

async function invoke(name: string, { params }: { params?: { lines?: number } }) {
  if (name === 'logs.kept') return { ok: true, value: { savedAt: null, lines: agent.kept } }
  agent.asked.push(params)
  if (!agent.up) return { ok: false, problem: { code: 'unreachable', detail: '', title: '', type: '', status: 0 } }
  return { ok: true, value: { lines: agent.lines.slice(-(params?.lines ?? 0)), service: 'api', truncated: false } }
}

function setState(state: 'running' | 'unknown') {
  useFleet.setState({ machines: { m: machine({ id: 'm', state }) } })
}

async function started(begin: Since) {
  const [posted, states]: [ToEngine[], FeedState['state'][]] = [[], []]
  const feed = new LogFeed({ machineId: 'm', service: 'api' }, 0, {
    post: (message) => void posted.push(message),
    changed: ({ state }) => void states.push(state),
  })
  await feed.start(begin)
  const attached = async () => {
    await vi.waitFor(() => expect(posted.at(-1)?.type).toBe('attach'))
    const found = posted.at(-1)
    return found?.type === 'attach' ? { since: found.since, until: found.until } : undefined
  }
  const lines = () => posted.flatMap((message) => (message.type === 'lines' ? message.lines : []))
  return { feed, posted, states, attached, lines }
}

test('history that could not be asked for is asked for when the machine is back, once', async () => {
  for (const away of [() => setState('unknown'), () => (agent.up = false)]) {
    away()
    const { feed, states, attached, lines } = await started('lines:200')
    expect(states.at(-1)).toBe('waiting')
    expect(lines()).toEqual([])
    agent.up = true
    setState('running')
    expect(await attached()).toEqual({ since: `${line(3).timestamp}#0`, until: undefined })
    expect(lines()).toEqual(agent.lines)
    // What came by the stream before it was cut is not asked for again.
    feed.lost(`${line(9).timestamp}#0`, null)
    setState('unknown')
    setState('running')
    await vi.waitFor(async () => expect((await attached())?.since).toBe(`${line(9).timestamp}#0`))
    expect(lines()).toEqual(agent.lines)
    feed.close()
  }
})

test('what is kept is gone on from, if it reaches back as far as was asked', async () => {
  agent.kept = [line(1), line(2)]
  setState('unknown')
  const { feed, attached, lines, posted } = await started('lines:200')
  setState('running')
  expect(await attached()).toEqual({ since: `${line(2).timestamp}#0`, until: undefined })
  expect(lines()).toEqual(agent.kept)
  expect(agent.asked).toEqual([])
  expect(posted.some(({ type }) => type === 'remove')).toBe(false)
  feed.close()
})

test('kept lines that begin later than was asked make room for all of them', async () => {
  agent.kept = [line(2)]
  setState('unknown')
  const from = Date.parse(line(1).timestamp)
  const { feed, attached, posted, states } = await started(`at:${from}`)
  setState('running')
  expect(await attached()).toEqual({ since: line(1).timestamp, until: line(3).timestamp })
  expect(posted.map(({ type }) => type)).toEqual(['lines', 'mark', 'remove', 'attach'])
  // Only when the last of what was there has come.
  expect(states.at(-1)).toBe('loading')
  feed.live()
  expect(states.at(-1)).toBe('live')
  feed.close()
})
