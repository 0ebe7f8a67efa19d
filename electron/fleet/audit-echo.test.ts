import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { echoAudit } from './audit-echo.ts'

/** Two records that are entries long, each the hash of what came before; the agent remembers where the console was. */
function sides() {
  const chain = (name: string) => Array.from({ length: 9 }, (_, place) => `${name}-${place + 1}`)
  const here = chain('console')
  const there = chain('agent')
  let remembered: { entries: number; head: string; at: string } | null = null
  const client = {
    call: async (
      _name: string,
      { console: told, seen }: { console: { entries: number; head: string }; seen: number },
    ) => {
      const answer = {
        entries: there.length,
        head: there.at(-1) ?? '',
        hashThen: seen === 0 ? null : (there[seen - 1] ?? null),
        consoleThen: remembered,
      }
      remembered = { ...told, at: '2026-01-01T00:00:00.000Z' }
      return answer
    },
  }
  let known = { entries: 0, head: null as string | null }
  const audit = {
    get head() {
      return { entries: here.length, head: here.at(-1) ?? '' }
    },
    hashAt: (entries: number) => here[entries - 1] ?? null,
  }
  const echo = async () => {
    const record = { name: 'box', auditEntries: known.entries, auditHead: known.head }
    const result = await echoAudit(client as never, record, { consoleId: 'c', audit: audit as never })
    if (result !== undefined) known = result
    return result?.warning ?? null
  }
  return { here, there, echo, client }
}

test('records that only grow fit each other, however often they are compared', async () => {
  const { here, there, echo } = sides()
  for (let time = 0; time < 3; time++) {
    expect(await echo()).toBeNull()
    here.push(`console-more-${time}`)
    there.push(`agent-more-${time}`)
  }
})

test('an agent that cut its tail, or wrote it anew, is found out by what the console saw', async () => {
  const cut = sides()
  await cut.echo()
  cut.there.length = 5
  expect(await cut.echo()).toContain('ends after entry 5')
  // It stays found out: what does not fit is not taken as the new truth.
  cut.there.push('agent-6', 'agent-7', 'agent-8', 'forged')
  expect(await cut.echo()).toContain('has another entry 9')
})

test('a console that cut its tail, or wrote it anew, is found out by what the agents remember', async () => {
  for (const forge of [[], ['console-6', 'console-7', 'console-8', 'forged', 'more']]) {
    const { here, echo } = sides()
    await echo()
    here.length = 5
    here.push(...forge)
    expect(await echo()).toContain("remembers 9 entries of this console's own audit")
  }
})

test('an agent that was seen and then will not say where it ends is found out; one that is only away is not', async () => {
  const { echo, client } = sides()
  const answering = client.call
  expect(await echo()).toBeNull()
  for (const code of ['internal', 'not-supported', 'bad-answer', 'unknown-route'] as const) {
    client.call = () => Promise.reject(new Problem(code, 'not <b>today</b>'))
    expect(await echo()).toContain('does not say where its audit ends (not ‹b›today‹/b›)')
  }
  for (const code of ['unreachable', 'timeout', 'unauthorized', 'stopping'] as const) {
    client.call = () => Promise.reject(new Problem(code, 'away'))
    await expect(echo()).rejects.toMatchObject({ code })
  }
  client.call = answering
  expect(await echo()).toBeNull()
})

test('an agent too old to compare is left alone', async () => {
  const { client } = sides()
  client.call = () => Promise.reject(new Problem('not-supported', 'too old'))
  const record = { name: 'box', auditEntries: 0, auditHead: null }
  const audit = { head: { entries: 1, head: 'h' }, hashAt: () => null }
  expect(await echoAudit(client as never, record, { consoleId: 'c', audit: audit as never })).toBeUndefined()
})
