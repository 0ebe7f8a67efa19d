import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TimelineStore } from '../agent/timeline/timeline.store.ts'
import { timelineKinds } from '../shared/contract/timeline.ts'
import { entry } from '../shared/domain/timeline/book.ts'
import { type AddedMachine, addMachine } from './rigs/added-machine.ts'
import { type AgentProcess, startAgentProcess } from './rigs/agent-process.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { freePort } from './rigs/ports.ts'
import { until } from './rigs/until.ts'

const day = 24 * 3600_000
const many = 8800
const days = 60

/** Two months of a machine, in the kinds that happen often, and a film from one of its first days. */
function fill(dataDir: string): void {
  mkdirSync(path.join(dataDir, 'recordings'), { recursive: true, mode: 0o700 })
  const first = Date.now() - days * day
  const store = new TimelineStore(dataDir)
  store.writeFrom('test', 1, () => {
    for (let number = 0; number < many; number++) {
      const kind = timelineKinds[number % 5] ?? 'machine'
      const at = new Date(first + (number / many) * days * day).toISOString()
      store.put(entry({ key: `test:${number}`, kind, what: 'test', title: `Entry number ${number}`, at, tone: 'up' }))
    }
  })
  store.close()
  const [startedAt, endedAt] = [first + day, first + day + 60_000].map((time) => new Date(time).toISOString())
  const note = { id: 'old', startedAt, endedAt, fps: 10, resolution: '640x480', failed: false, endedBy: null }
  writeFileSync(path.join(dataDir, 'recordings', 'old.json'), JSON.stringify(note))
  writeFileSync(path.join(dataDir, 'recordings', 'old.mp4'), 'a film')
}

/** More of a machine’s past than comes at once. */
describe('a timeline of two months', () => {
  const { folder, remove } = freshFolder('timeline-long')
  let console: TestConsole
  let agent: AgentProcess
  let machine: AddedMachine
  const at = (id: string) => console.window.getByTestId(id)
  const open = (tab: string) =>
    console.window.evaluate(
      ([id, name]) => {
        location.hash = `#/machine/${id}/${name}`
      },
      [machine.id, tab] as const,
    )

  beforeAll(async () => {
    const dataDir = path.join(folder, 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    fill(dataDir)
    const port = await freePort()
    ;[agent, console] = await Promise.all([
      startAgentProcess({ PILOTHOUSE_DATA_DIR: dataDir, PILOTHOUSE_PORT: String(port) }),
      startConsole(),
    ])
    machine = await addMachine(console, { port, secret: agent.secret }, 'long-1')
    await open('timeline')
    await at('timeline-count').waitFor()
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    remove()
  })

  const shown = async () => Number((await at('timeline-count').innerText()).split(' ')[0]?.replaceAll(',', ''))

  test('what is not loaded is told of, and Home leads to the very first', async () => {
    await at('timeline-count').filter({ hasText: 'there are older ones' }).waitFor()
    await at('timeline-track').focus()
    await console.window.keyboard.press('Home')
    await at('timeline-detail').getByText('Entry number 0', { exact: true }).first().waitFor()
    expect(await at('timeline-count').innerText()).not.toContain('older')
  })

  test('all of it is shown on request, with nothing left out in between', async () => {
    await open('overview')
    await at('timeline-count').waitFor({ state: 'detached' })
    await open('timeline')
    await at('timeline-fit').click()
    await until('all of them', async () => (await shown()) > many)
  })

  test('a machine whose clock is hours off says so, and its own times are what is shown', async () => {
    await open('overview')
    await at('timeline-count').waitFor({ state: 'detached' })
    await console.window.evaluate(() => {
      const now = Date.now
      Date.now = () => now() - 3 * 3_600_000
    })
    await open('timeline')
    await at('timeline-clock').filter({ hasText: 'The clock of long-1 is 3 h ahead of this computer’s.' }).waitFor()
  })
})
