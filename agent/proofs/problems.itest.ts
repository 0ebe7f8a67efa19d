import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../e2e/rigs/until.ts'
import type { CallName, SocketName } from '../../shared/contract/index.ts'
import { problemCodes } from '../../shared/errors.ts'
import type { Situation } from './situation.ts'
import { situations } from './situations.ts'
import { type ProvingWorld, startWorld } from './world.ts'

let world: ProvingWorld
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
afterEach(() => world.reset())

interface Attempt {
  name: string
  /** Begins it; resolves with how it ended. */
  begin: () => Promise<unknown>
}

async function ended(work: Promise<unknown>): Promise<unknown> {
  try {
    const got = await work
    return { code: 'no problem', got }
  } catch (error) {
    return error
  }
}

/** The calls of a situation, each made ready when its turn comes. */
function attempts({ calls = {}, sockets = {} }: Situation): (() => Promise<Attempt>)[] {
  const given = (params: unknown) => (typeof params === 'function' ? params(world) : params)
  return [
    ...Object.entries(calls).map(([name, params]) => async () => {
      const ready = await given(params)
      return { name, begin: () => ended(world.call(name as CallName, ready)) }
    }),
    ...Object.entries(sockets).map(([name, params]) => async () => {
      const ready = await given(params)
      const open = () => world.rig.client.open(name as SocketName, ready).then((socket) => socket.close())
      return { name, begin: () => ended(open()) }
    }),
  ]
}

/** How many requests the agent has taken in. */
async function taken(): Promise<number> {
  const headers = { accept: 'application/openmetrics-text' }
  const text = await (await fetch(`http://127.0.0.1:${world.rig.port}/metrics`, { headers })).text()
  return Number(/^\w*_requests_total (\d+)/m.exec(text)?.[1])
}

for (const situation of situations) {
  test(`${situation.name}: ${situation.code}`, async () => {
    const undo = await situation.arrange(world)
    const wanted = { code: situation.code, status: problemCodes[situation.code][0] }
    const next = /[.!?]|\n/
    const check = (name: string, problem: unknown) => {
      expect(problem, name).toMatchObject(wanted)
      expect((problem as Error).message, name).toMatch(next)
    }
    if (situation.meanwhile === undefined) {
      for (const make of attempts(situation)) {
        const { name, begin } = await make()
        check(name, await begin())
      }
    } else {
      const ready: Attempt[] = []
      for (const make of attempts(situation)) ready.push(await make())
      const before = await taken()
      const begun = ready.map(({ name, begin }) => ({ name, end: begin() }))
      let looks = 0
      await until('all calls to be under way', async () => (await taken()) >= before + ready.length + ++looks)
      await situation.meanwhile(world)
      for (const { name, end } of begun) check(name, await end)
    }
    if (typeof undo === 'function') await undo()
  })
}

test('no call ended with a problem that the contract does not name for it', () => {
  expect(world.rig.logged.filter((line) => line.includes('contract does not name'))).toEqual([])
})
