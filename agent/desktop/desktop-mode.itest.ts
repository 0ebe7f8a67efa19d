import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { startTime } from '../processes/process-table.ts'
import { haveWindowManager } from './window-manager-rig.ts'

let rig: TestAgent
beforeEach(async () => {
  rig = await startTestAgent()
})
afterEach(async () => {
  await rig.stop()
  vi.unstubAllEnvs()
})

const call: TestAgent['client']['call'] = (name, params, options) =>
  rig.client.call(name, params, { timeoutMs: 60_000, ...options })

const ownWindowManager = () => haveWindowManager(rig.dataDir, (name, value) => vi.stubEnv(name, value))

describe('a desktop', () => {
  test('is a display with a window manager, seen, used, recorded and taken like a browser’s, and gone without a trace', async () => {
    ownWindowManager()
    const status = await call('desktop.start', { width: 800, height: 600 })
    expect(status).toMatchObject({
      ...{ state: 'active', resolution: { width: 800, height: 600, dpi: 96 }, lastError: null },
      processes: [{ name: 'Xvnc', running: true }, { running: true }],
    })
    await expect(call('desktop.start')).rejects.toMatchObject({ code: 'already-active', status: 409 })
    const display = await call('desktop.screenshot')
    expect(Buffer.from(display.bytes).readUInt32BE(16)).toBe(800)
    const picture = await call('machine.screenshot')
    expect(Buffer.from(picture.bytes).readUInt32BE(20)).toBe(600)
    await call('desktop.mouse', { action: 'click', x: 10, y: 10 })
    await call('desktop.setClipboard', { text: 'kept' })
    expect(await call('desktop.getClipboard')).toEqual({ text: 'kept' })
    await call('desktop.startRecording', { fps: 5 })
    const { leaseId } = await call('takeover.take', { operator: 'Ann' })
    await expect(call('desktop.mouse', { action: 'click', x: 1, y: 1 })).rejects.toMatchObject({
      code: 'held-by-operator',
    })
    const view = await rig.client.open('vnc', { mode: 'control', leaseId })
    const greeting = await new Promise<Buffer>((resolve) => {
      view.onBytes = (bytes) => resolve(Buffer.from(bytes))
    })
    expect(greeting.toString('latin1')).toBe('RFB 003.008\n')
    expect(await call('desktop.stop')).toEqual({ state: 'inactive' })
    expect((await call('takeover.get')).lease).toBeNull()
    await expect.poll(async () => (await call('desktop.listRecordings')).recordings[0]?.state).toBe('done')
    for (const { pid } of status.processes) expect(startTime(pid)).toBeUndefined()
    await expect(call('desktop.screenshot')).rejects.toMatchObject({ code: 'not-active' })
  })

  test('and a browser exclude each other, whichever was first', async () => {
    ownWindowManager()
    const conflict = { code: 'desktop-conflict', status: 409 }
    const tries = await Promise.allSettled([call('desktop.start'), call('browser.start')])
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(tries.find((one) => one.status === 'rejected')?.reason).toMatchObject(conflict)
    await Promise.all([call('desktop.stop'), call('browser.stop')])
    await call('desktop.start')
    await expect(call('browser.start')).rejects.toMatchObject(conflict)
    expect((await call('browser.status')).state).toBe('inactive')
    await call('desktop.stop')
    await call('browser.start', { headless: true })
    await expect(call('desktop.start')).rejects.toMatchObject(conflict)
  })

  test('that lacks a program says what to install', async () => {
    vi.stubEnv('PATH', path.join(rig.dataDir, 'nothing'))
    await expect(call('desktop.start')).rejects.toMatchObject({ code: 'install-required', status: 424 })
    const status = await call('desktop.status')
    expect(status).toMatchObject({ state: 'install_required', missingDependencies: ['Xvnc', 'openbox'] })
  })

  test('whose window manager cannot start, or whose display dies, has failed, and nothing of it stays', async () => {
    ownWindowManager()
    const bin = path.join(rig.dataDir, 'broken')
    mkdirSync(bin)
    writeFileSync(path.join(bin, 'openbox'), '#!/bin/sh\necho no such theme >&2\nexit 3\n')
    chmodSync(path.join(bin, 'openbox'), 0o755)
    const usual = process.env['PATH']
    vi.stubEnv('PATH', `${bin}:${usual}`)
    await expect(call('desktop.start')).rejects.toMatchObject({
      ...{ code: 'start-failed', message: expect.stringMatching(/exit code 3.*no such theme/) as string },
    })
    expect(await call('desktop.status')).toMatchObject({ state: 'failed', processes: [] })
    vi.stubEnv('PATH', usual)
    const { processes } = await call('desktop.start')
    process.kill(processes[0]?.pid ?? 0, 'SIGKILL')
    await expect.poll(async () => (await call('desktop.status')).state, { timeout: 2000, interval: 20 }).toBe('failed')
    expect((await call('desktop.status')).lastError?.message).toContain('SIGKILL')
    for (const { pid } of processes) await expect.poll(() => startTime(pid)).toBeUndefined()
    await call('browser.start', { headless: true })
  })

  test('a stop ends one that is on its way', async () => {
    ownWindowManager()
    const starting = call('desktop.start').catch((error: unknown) => error)
    await expect.poll(async () => (await call('desktop.status')).state, { interval: 5 }).toBe('starting')
    await call('desktop.stop')
    expect(await starting).toMatchObject({ code: 'start-failed' })
    expect((await call('desktop.status')).state).toBe('inactive')
  })
})
