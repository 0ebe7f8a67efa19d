import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import type { AgentClient } from '../../shared/client/client.ts'
import { Leases } from '../fleet/leases.ts'
import { TestClock } from '../test-clock.ts'
import { type TakeoverHandlerDeps, takeoverHandlers } from './takeover-handlers.ts'

const nobody = { sendPort: () => false, onGone: () => () => {} }

function set() {
  const asked: [string, Record<string, unknown>][] = []
  const answers: Record<string, unknown> = {
    'takeover.take': { leaseId: 'secret-lease', operator: 'Ada', takenAt: 't', expiresAt: 'e', reason: '' },
    'takeover.accept': { leaseId: 'secret-lease', operator: 'Ada', takenAt: 't', expiresAt: 'e', reason: '' },
    'takeover.renew': { leaseId: 'secret-lease', operator: 'Ada', takenAt: 't', expiresAt: 'later', reason: '' },
    'takeover.handBack': { ok: true, handedBackTo: 'stagehand', heldMs: 1, toActingMs: 12 },
    'desktop.getClipboard': { text: 'from the machine' },
    'desktop.setClipboard': { ok: true },
    'desktop.screenshot': { contentType: 'image/png', bytes: Uint8Array.of(1, 2, 3) },
  }
  const call = async (name: string, params: Record<string, unknown>) => {
    asked.push([name, params])
    return answers[name]
  }
  const client = { call } as unknown as AgentClient
  const copied = vi.fn()
  let local = 'to the machine'
  let file: string | undefined
  const deps = {
    fleet: {
      leases: new Leases(new TestClock()),
      client: () => client,
      call: (_machineId: string, name: string, params: Record<string, unknown>) => call(name, params),
      view: () => ({ name: 'prod/../01' }),
    },
    ownTakeovers: { list: () => [] },
    settings: { current: { operator: 'Ada', leaseMinutes: 2 } },
    clipboard: { readText: () => local, writeText: copied },
    chooseFile: async (suggested: string) => (file === undefined ? undefined : path.join(file, suggested)),
  } as unknown as TakeoverHandlerDeps
  return {
    handlers: takeoverHandlers(deps),
    asked,
    copied,
    chooseIn: (folder: string) => {
      file = folder
    },
    setLocal: (text: string) => {
      local = text
    },
  }
}

const on = { machineId: 'm' }

test('a request is accepted for the operator and for as long as the settings say; no id reaches the window', async () => {
  const { handlers, asked } = set()
  const answer = await handlers['takeover.accept']({ ...on, requestId: 'r1' }, nobody)
  expect(asked).toEqual([['takeover.accept', { id: 'r1', operator: 'Ada', ttlMs: 120_000 }]])
  expect(answer).toEqual({ expiresAt: '2026-01-01T00:02:00.000Z' })
})

test('control goes back to the engine that was named', async () => {
  const { handlers, asked } = set()
  await handlers['takeover.take']({ ...on, reason: 'stuck' }, nobody)
  const given = { outcome: 'resolved', note: 'done', handBackTo: 'stagehand', mode: 'cua' } as const
  expect(await handlers['takeover.giveBack']({ ...on, ...given }, nobody)).toEqual({ toActingMs: 12 })
  expect(asked.at(-1)).toEqual(['takeover.handBack', { ...given, leaseId: 'secret-lease' }])
})

test('a person who says that they are here is believed at once, work only now and then', async () => {
  const { handlers, asked } = set()
  await handlers['takeover.take']({ ...on, reason: '' }, nobody)
  await handlers['takeover.stillHere']({ ...on, said: false }, nobody)
  expect(asked.filter(([name]) => name === 'takeover.renew')).toHaveLength(0)
  await handlers['takeover.stillHere']({ ...on, said: true }, nobody)
  expect(asked.at(-1)).toEqual(['takeover.renew', { leaseId: 'secret-lease' }])
})

test('the clipboard passes only with control, and never through the window', async () => {
  const { handlers, asked, copied, setLocal } = set()
  const on = { machineId: 'm', of: 'display' } as const
  await expect(handlers['live.paste'](on, nobody)).rejects.toMatchObject({ code: 'lease-gone' })
  await handlers['takeover.take']({ ...on, reason: '' }, nobody)
  expect(await handlers['live.paste'](on, nobody)).toEqual({ characters: 14 })
  expect(asked.at(-1)).toEqual(['desktop.setClipboard', { text: 'to the machine', leaseId: 'secret-lease' }])
  expect(await handlers['live.copy'](on, nobody)).toEqual({ characters: 16 })
  expect(copied).toHaveBeenCalledWith('from the machine')
  setLocal('')
  await expect(handlers['live.paste'](on, nobody)).rejects.toMatchObject({ code: 'not-found' })
  setLocal('ü😀')
  expect(await handlers['live.paste'](on, nobody)).toEqual({ characters: 2 })
  setLocal('x'.repeat(1_048_576))
  const before = asked.length
  expect(await handlers['live.paste'](on, nobody)).toEqual({ characters: 1_048_576 })
  const parts = asked.slice(before).map(([, params]) => params as { text: string; append?: boolean })
  expect(parts.map(({ append }) => append)).toEqual([undefined, true, true])
  expect(parts.map(({ text }) => text).join('')).toBe('x'.repeat(1_048_576))
  setLocal('x'.repeat(5 * 1024 * 1024))
  await expect(handlers['live.paste'](on, nobody)).rejects.toThrow(/5\.0 MiB of text, and 4\.0 MiB go at once/)
})

test('a picture is saved where the person says, under a name that cannot lead elsewhere', async () => {
  const { handlers, chooseIn } = set()
  expect(await handlers['live.saveScreenshot']({ ...on, of: 'display' }, nobody)).toEqual({ file: null, bytes: 3 })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pictures-'))
  chooseIn(folder)
  const { file } = await handlers['live.saveScreenshot']({ ...on, of: 'display' }, nobody)
  expect(path.dirname(file ?? '')).toBe(folder)
  expect(path.basename(file ?? '')).toMatch(/^prod-\.\.-01-[\dT-]+\.png$/)
  expect([...readFileSync(file ?? '')]).toEqual([1, 2, 3])
  rmSync(folder, { recursive: true })
})
