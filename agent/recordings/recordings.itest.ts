import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { BrowserBench, probePage, run } from '../browser/browser-bench.ts'
import type { Screens } from '../desktop/screens.ts'
import type { Reply } from '../server/handlers.ts'
import { RfbTestClient, testContext } from '../takeover/rfb-test-client.ts'
import { wantedRange } from './range.ts'
import { recordingRoutes } from './recordings.routes.ts'
import { type RecordingLimits, RecordingsService } from './recordings.service.ts'

const bench = BrowserBench.forEachTest()
const open: RecordingsService[] = []
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
})

function recordings(limits: Partial<RecordingLimits> = {}, screens: Screens = bench.parts.screens) {
  const service = new RecordingsService(screens, {
    dataDir: bench.dataDir,
    log: () => {},
    limits: { maxMegabytes: 50, maxMinutes: 5, maxRecordings: 10, ...limits },
  })
  open.push(service)
  return service
}

/** What a player would make of it. */
async function probe(file: string): Promise<{ width: number; frames: number }> {
  const { stdout } = await run('ffprobe', [
    ...['-v', 'error', '-count_packets', '-select_streams', 'v:0', '-show_entries', 'stream=width,nb_read_packets'],
    ...['-of', 'json', file],
  ])
  const [stream] = (JSON.parse(stdout) as { streams: { width: number; nb_read_packets: string }[] }).streams
  return { width: stream?.width ?? 0, frames: Number(stream?.nb_read_packets ?? 0) }
}
const grown = (service: RecordingsService, bytes: number) =>
  expect.poll(() => service.list()[0]?.sizeBytes ?? 0, { timeout: 20_000 }).toBeGreaterThan(bytes)

describe('a recording', () => {
  test('starts, stops, can be played, fetched in parts and deleted', async () => {
    await bench.start({ url: probePage, width: 641, height: 481 })
    const service = recordings()
    const started = await service.start(10)
    expect(started).toMatchObject({ state: 'recording', fps: 10, resolution: '641x481', endedAt: null })
    await expect(service.start(10)).rejects.toMatchObject({ code: 'conflict' })
    expect(() => service.delete(started.id)).toThrow(/still runs/)
    await grown(service, 2000)
    const stopped = await service.stop()
    expect(stopped).toMatchObject({ state: 'done', endedBy: 'stopped' })
    expect(service.list()).toEqual([stopped])
    const film = service.files.film(stopped.id)
    expect(await probe(film)).toMatchObject({ width: 640 })
    expect((await probe(film)).frames).toBeGreaterThan(5)

    const get = async (headers: Record<string, string>) => {
      const reply = (await recordingRoutes(service, () => 30)['desktop.getRecording'](
        { id: stopped.id },
        { ...testContext(), headers },
      )) as Reply
      const parts: Uint8Array[] = []
      if (typeof reply.body !== 'string')
        for await (const part of reply.body as AsyncIterable<Uint8Array>) parts.push(part)
      return { status: reply.status, headers: reply.headers, size: Buffer.concat(parts).length }
    }
    const whole = await get({})
    expect(whole).toMatchObject({ status: 200, size: stopped.sizeBytes })
    expect(await get({ range: 'bytes=10-19' })).toMatchObject({
      ...{ status: 206, size: 10 },
      headers: { 'content-range': `bytes 10-19/${stopped.sizeBytes}`, 'content-length': '10' },
    })
    expect(await get({ range: `bytes=${stopped.sizeBytes}-` })).toMatchObject({ status: 416 })
    const etag = whole.headers['etag'] ?? ''
    for (const known of [etag, `"other", W/${etag}`, '*'])
      expect(await get({ 'if-none-match': known })).toMatchObject({ status: 304, size: 0 })
    expect(await get({ 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
    expect(await get({ range: 'bytes=0-4', 'if-range': '"old"' })).toMatchObject({ status: 200 })
    service.delete(stopped.id)
    expect(readdirSync(path.dirname(film))).toEqual([])
    expect(() => service.delete(stopped.id)).toThrow(/no such recording/)
  })

  test('ends by itself at its limits, and with the browser', async () => {
    await bench.start({ url: probePage })
    const short = recordings({ maxMinutes: 1 / 60 })
    await short.start(10)
    await expect.poll(() => short.list()[0], { timeout: 20_000 }).toMatchObject({ state: 'done', endedBy: 'a limit' })
    const few = recordings({ maxRecordings: 2 })
    await few.start(10)
    await bench.parts.browser.stop()
    await expect.poll(() => few.list()[0]).toMatchObject({ state: 'done', endedBy: 'the browser ended' })
    await bench.start()
    await expect(few.start(10)).rejects.toMatchObject({ code: 'storage-full' })
  })

  test('goes on, and the display keeps its size, although a controller asks for another', async () => {
    await bench.start({ url: probePage, width: 800, height: 600 })
    const { leaseId } = bench.take()
    const controller = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', leaseId })
    const service = recordings()
    await service.start(10)
    const invalid = 3
    for (const [width, height] of [
      [640, 400],
      [1024, 700],
    ] as const)
      expect(await controller.resize(width, height)).toBe(invalid)
    await grown(service, (service.list()[0]?.sizeBytes ?? 0) + 2000)
    expect((await bench.parts.browser.status()).resolution).toMatchObject({ width: 800, height: 600 })
    expect(await service.stop()).toMatchObject({ state: 'done', endedBy: 'stopped' })
    expect(await controller.resize(640, 400)).toBe(0)
    controller.close()
  })

  test('that ends before its limits says so, and what ffmpeg said', async () => {
    await bench.start({ url: probePage, width: 800, height: 600 })
    const { leaseId } = bench.take()
    const controller = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', leaseId })
    // A display that does not stay as it is.
    const screens = { require: () => bench.parts.screens.require(), onEnd: () => () => {}, holdSize: () => () => {} }
    const service = recordings({}, screens as unknown as Screens)
    await service.start(10)
    expect(await controller.resize(640, 400)).toBe(0)
    await expect.poll(() => service.list()[0]?.state, { timeout: 20_000 }).toBe('failed')
    expect(service.list()[0]?.endedBy).toMatch(/^ffmpeg: ./)
    controller.close()
  })

  test('can be played although ffmpeg was killed, and an agent that comes back says how it ended', async () => {
    await bench.start({ url: probePage })
    const service = recordings()
    const { id } = await service.start(10)
    await grown(service, 2000)
    const { stdout } = await run('ps', ['-eo', 'pid=,args='])
    const ffmpeg = stdout.split('\n').find((line) => line.includes(service.files.film(id)) && !line.includes('setpriv'))
    // What a killed agent leaves: its note still says that it records.
    const other = recordings()
    expect(other.list()[0]).toMatchObject({ state: 'done', endedBy: 'the agent ended' })
    process.kill(Number.parseInt(ffmpeg ?? '', 10), 'SIGKILL')
    await expect.poll(() => service.list()[0]?.state).toBe('failed')
    expect((await probe(service.files.film(id))).frames).toBeGreaterThan(5)
  })

  test.runIf(process.platform === 'linux')('can be played although the agent was killed', async () => {
    const at = (file: string) => JSON.stringify(path.resolve(import.meta.dirname, file))
    const script = `
      import { createBrowserParts } from ${at('../browser/parts.ts')}
      import { startBrowser } from ${at('../../shared/contract/browser.ts')}
      import { RecordingsService } from ${at('recordings.service.ts')}
      const dataDir = process.argv[1]
      const parts = createBrowserParts({ dataDir, publish() {}, audit: { recordSystem() {} }, log() {} })
      const { processes } = await parts.browser.start(startBrowser.params.parse({}))
      const limits = { maxMegabytes: 50, maxMinutes: 5, maxRecordings: 10 }
      const { id } = await new RecordingsService(parts.screens, { dataDir, log() {}, limits }).start(10)
      console.log(JSON.stringify({ id, pids: processes.map((program) => program.pid) }))`
    const agent = spawn(process.execPath, ['--input-type=module', '-e', script, bench.dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said = await new Promise<Buffer>((resolve) => agent.stdout.once('data', resolve))
    const { id, pids } = JSON.parse(String(said)) as { id: string; pids: number[] }
    bench.pids.push(...pids)
    const film = path.join(bench.dataDir, 'recordings', path.basename(recordings().files.film(id)))
    await expect.poll(() => statSync(film).size, { timeout: 20_000 }).toBeGreaterThan(2000)
    agent.kill('SIGKILL')
    await expect.poll(() => bench.processes(), { timeout: 10_000 }).toEqual([])
    expect(recordings().list()[0]).toMatchObject({ id, state: 'done', endedBy: 'the agent ended' })
    expect((await probe(film)).frames).toBeGreaterThan(5)
  })

  test.runIf(process.getuid?.() === 0)('on a disk that fills up ends, says so, and keeps what it has', async () => {
    await bench.start({
      url: `data:text/html,<canvas id=c width=1200 height=700></canvas><script>
      const x = c.getContext('2d'); setInterval(() => { const i = x.createImageData(1200, 700)
      for (let n = 0; n < i.data.length; n += 65536) crypto.getRandomValues(i.data.subarray(n, n + 65536)); x.putImageData(i, 0, 0) }, 50)</script>`,
    })
    const dir = path.join(bench.dataDir, 'recordings')
    mkdirSync(dir)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=66m', 'tmpfs', dir])
    try {
      const service = recordings()
      await service.start(10)
      writeFileSync(path.join(dir, 'other'), Buffer.alloc(60 * 1024 * 1024))
      await expect.poll(() => service.list()[0]?.state, { timeout: 30_000 }).not.toBe('recording')
      expect(service.list()[0]?.endedBy).toMatch(/disk is (nearly )?full/)
      expect((await probe(service.files.film(service.list()[0]?.id ?? ''))).frames).toBeGreaterThan(0)
      await expect(service.start(10)).rejects.toMatchObject({ code: 'storage-full' })
    } finally {
      await sleep(100)
      execFileSync('umount', ['-l', dir])
    }
  })

  test('is a file of its folder, not a link out of it', async () => {
    const service = recordings()
    mkdirSync(path.join(bench.dataDir, 'recordings'))
    symlinkSync('/etc/passwd', service.files.film('20200101-link'))
    expect(() => service.files.open('20200101-link')).toThrow(/no such recording/)
    expect(existsSync('/etc/passwd')).toBe(true)
    await expect(service.start(10)).rejects.toMatchObject({ code: 'not-active' })
  })
})

test.each([
  ['bytes=0-0', { kind: 'part', start: 0, end: 0 }],
  ['bytes=90-', { kind: 'part', start: 90, end: 99 }],
  ['bytes=-10', { kind: 'part', start: 90, end: 99 }],
  ['bytes=-1000', { kind: 'part', start: 0, end: 99 }],
  ['bytes=5-1000', { kind: 'part', start: 5, end: 99 }],
  ['bytes=100-', { kind: 'outside' }],
  ['bytes=-0', { kind: 'outside' }],
  ['bytes=9-5', { kind: 'whole' }],
  ['bytes=0-1,5-6', { kind: 'whole' }],
  ['lines=0-1', { kind: 'whole' }],
  ['bytes=-', { kind: 'whole' }],
  [undefined, { kind: 'whole' }],
])('the range %s', (header, wanted) => {
  expect(wantedRange(header, 100, { etag: '"a"', ifRange: undefined })).toEqual(wanted)
})
