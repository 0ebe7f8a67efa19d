import { expect, test, vi } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { type IpcName, ipcCalls } from '../../shared/ipc.ts'
import { type Caller, createDispatch, type IpcHandlers } from './dispatch.ts'
import { appOrigin, isFrom, isOurs } from './sender.ts'

const caller: Caller = { sendPort: () => true, onGone: () => () => {} }

function dispatcher(changed: Partial<IpcHandlers> = {}, checkResults = true) {
  const log = vi.fn()
  const refuse = () => {
    throw new Error('not part of this test')
  }
  const names = Object.keys(ipcCalls) as IpcName[]
  const handlers = { ...Object.fromEntries(names.map((name) => [name, refuse])), ...changed } as IpcHandlers
  return { ask: createDispatch({ handlers, log, checkResults }), log }
}

test('a known call with good parameters gets its value', async () => {
  const copyText = vi.fn(() => ({}))
  const { ask } = dispatcher({ 'app.copyText': copyText })
  expect(await ask(caller, 'app.copyText', { text: 'x' })).toEqual({ ok: true, value: {} })
  expect(copyText).toHaveBeenCalledWith({ text: 'x' }, caller)
})

test('a foreign frame is refused before anything else is looked at', async () => {
  const list = vi.fn(() => [])
  const { ask } = dispatcher({ 'fleet.list': list })
  expect(await ask(undefined, 'fleet.list', {})).toMatchObject({ ok: false, problem: { code: 'forbidden' } })
  expect(list).not.toHaveBeenCalled()
})

test.each(['nope', '__proto__', 'constructor', 'toString', '', 7, null, {}])(
  'the unknown call %j is refused',
  async (name) => {
    expect(await dispatcher().ask(caller, name, {})).toMatchObject({ ok: false, problem: { code: 'unknown-route' } })
  },
)

test('every call refuses an extra key, nothing at all, and what is not an object', async () => {
  const { ask } = dispatcher()
  for (const name of Object.keys(ipcCalls)) {
    for (const params of [undefined, null, 'x', [], { __extra: 1 }]) {
      expect(await ask(caller, name, params), `${name} ${JSON.stringify(params)}`).toMatchObject({
        ok: false,
        problem: { code: 'invalid-params' },
      })
    }
  }
})

test('an expected failure is an answer with its code and what belongs to it', async () => {
  const { ask, log } = dispatcher({
    'takeover.take': () => {
      throw new Problem('lease-held', 'Bob has control.', { holder: 'Bob' })
    },
  })
  expect(await ask(caller, 'takeover.take', { machineId: 'm', reason: '' })).toMatchObject({
    ok: false,
    problem: { code: 'lease-held', detail: 'Bob has control.', holder: 'Bob' },
  })
  expect(log).not.toHaveBeenCalled()
})

test('what was not expected is logged, and the window learns neither stack nor message', async () => {
  const { ask, log } = dispatcher({
    'fleet.list': () => {
      throw new Error('the secret is hunter2')
    },
  })
  const answer = await ask(caller, 'fleet.list', {})
  expect(answer).toMatchObject({ ok: false, problem: { code: 'internal' } })
  expect(JSON.stringify(answer)).not.toContain('hunter2')
  expect(log).toHaveBeenCalledOnce()
})

test('a result that is not in the contract is a bug, where developers look', async () => {
  const wrong = { 'fleet.tryLocal': () => ({ machineId: 7 }) as never }
  expect(await dispatcher(wrong).ask(caller, 'fleet.tryLocal', {})).toMatchObject({ problem: { code: 'internal' } })
  expect(await dispatcher(wrong, false).ask(caller, 'fleet.tryLocal', {})).toMatchObject({ ok: true })
})

test('only the main frame of our window, showing our page, is ours', () => {
  const main = { url: 'app://pilothouse/index.html' }
  const event = (changed: object = {}) => ({ senderFrame: main, sender: { id: 1, mainFrame: main }, ...changed })
  const ids = new Set([1])
  expect(isOurs(event(), ids, [appOrigin])).toBe(true)
  expect(isOurs(event({ senderFrame: null }), ids, [appOrigin])).toBe(false)
  expect(isOurs(event({ senderFrame: { url: main.url } }), ids, [appOrigin])).toBe(false)
  expect(isOurs(event(), new Set([2]), [appOrigin])).toBe(false)
  const elsewhere = { url: 'https://example.org/' }
  expect(isOurs({ senderFrame: elsewhere, sender: { id: 1, mainFrame: elsewhere } }, ids, [appOrigin])).toBe(false)
})

test.each([
  'https://pilothouse/',
  'app://pilothouse.example/',
  'app://evil/',
  'about:blank',
  'data:text/html,x',
  'file:///app/index.html',
  '',
])('%s is not our origin', (url) => {
  expect(isFrom(url, [appOrigin])).toBe(false)
})
