import { expect, test, vi } from 'vitest'
import { servicesOf, usualServices } from './services.ts'

const names = (found: Awaited<ReturnType<typeof servicesOf>>) => found.map(({ name }) => name)

/** A machine that answers the question for its containers with this. */
function answers(code: string | undefined): void {
  const problem = { code, detail: '', title: '', type: '', status: 0 }
  const api = { name: 'ghosthands-api', image: 'api:1', state: 'running', labels: { 'gh.service': 'api' } }
  const invoke = async (name: string) => {
    if (name === 'logs.keptServices') return { ok: true, value: [{ service: 'worker', lines: 12 }] }
    return code === undefined ? { ok: true, value: [api] } : { ok: false, problem }
  }
  vi.stubGlobal('window', { pilothouse: { invoke } })
}

test('what has a log is what runs there, the machine itself, and what was looked at before', async () => {
  answers(undefined)
  const found = await servicesOf('m', true)
  expect(names(found)).toEqual(['api', 'system', 'adspower', 'worker'])
  expect(usualServices(found)).toEqual(['api'])
})

test('a machine without Docker has its own log; one that goes away while it is asked has only what is kept', async () => {
  answers('install-required')
  expect(names(await servicesOf('m', true))).toEqual(['system', 'adspower', 'worker'])
  for (const code of ['unreachable', 'timeout']) {
    answers(code)
    expect(names(await servicesOf('m', true))).toEqual(['worker'])
  }
  expect(names(await servicesOf('m', false))).toEqual(['worker'])
})
