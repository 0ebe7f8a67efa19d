import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { TransportStream } from '../../shared/client/transport.ts'
import { Problem } from '../../shared/errors.ts'
import { Recordings, type RecordingsDeps } from './recordings.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'films-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Download = (
  name: string,
  params: { id: string },
  options: { range?: string | undefined },
) => Promise<TransportStream>

function films(download: Download) {
  const asked = vi.fn(download)
  const deps = {
    fleet: {
      view: () => ({ name: 'shop/1' }),
      client: () => ({ download: asked }),
      machine: () => ({ signal: new AbortController().signal }),
    },
    chooseFile: async (suggested: string) => path.join(folder, suggested),
  } as unknown as RecordingsDeps
  const gone: (() => void)[] = []
  const onGone = (callback: () => void) => {
    gone.push(callback)
    return () => {}
  }
  const leave = () => {
    for (const tell of gone) tell()
  }
  return { recordings: new Recordings(deps), asked, caller: { sendPort: () => false, onGone }, leave }
}

const answer = (text: string, headers: Record<string, string> = {}, status = 206): TransportStream => ({
  status,
  headers,
  body: new Response(text).body as ReadableStream<Uint8Array>,
})

test('a part of a film is passed on as it was asked for, and no header but the ones a player needs', async () => {
  const headers = { 'content-range': 'bytes 2-5/10', 'content-length': '4', 'set-cookie': 'a=b', location: 'x' }
  const { recordings, asked, caller } = films(async () => answer('film', headers))
  const url = recordings.play('m1', 'r1', caller)
  const response = await recordings.serve(new Request(url, { headers: { range: 'bytes=2-5' } }))
  expect(asked).toHaveBeenCalledWith(
    'desktop.getRecording',
    { id: 'r1' },
    expect.objectContaining({ range: 'bytes=2-5' }),
  )
  expect(response.status).toBe(206)
  expect(response.headers.get('content-range')).toBe('bytes 2-5/10')
  expect(response.headers.get('content-type')).toBe('video/mp4')
  for (const name of ['set-cookie', 'location']) expect(response.headers.has(name), name).toBe(false)
  expect(await response.text()).toBe('film')
})

test('an address is good for the window it was given to, and for nothing else', async () => {
  const { recordings, asked, caller, leave } = films(async () => answer('film'))
  const url = recordings.play('m1', 'r1', caller)
  expect((await recordings.serve(new Request('app://pilothouse/index.html'))).status).toBe(404)
  expect((await recordings.serve(new Request(`${url}x`))).status).toBe(404)
  expect((await recordings.serve(new Request(url, { method: 'POST' }))).status).toBe(404)
  leave()
  expect((await recordings.serve(new Request(url))).status).toBe(404)
  expect(asked).not.toHaveBeenCalled()
})

test('a film that cannot be had is an error of that film', async () => {
  for (const [code, status] of [
    ['not-found', 404],
    ['unreachable', 502],
  ] as const) {
    const { recordings, caller } = films(async () => {
      throw new Problem(code, 'no')
    })
    expect((await recordings.serve(new Request(recordings.play('m1', 'r1', caller)))).status).toBe(status)
  }
})

test('a film is saved whole or not at all', async () => {
  const whole = films(async () => answer('whole film', {}, 200))
  const { file, bytes } = await whole.recordings.save('m1', 'r1')
  expect(path.basename(file ?? '')).toMatch(/^shop-1-[\dT-]+\.mp4$/)
  expect([bytes, readFileSync(file ?? '', 'utf8')]).toEqual([10, 'whole film'])
  rmSync(file ?? '')
  const broken = films(async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Uint8Array.of(1, 2))
        controller.error(new Error('the line was cut.'))
      },
    })
    return { status: 200, headers: {}, body }
  })
  await expect(broken.recordings.save('m1', 'r1')).rejects.toMatchObject({ code: 'conflict' })
  expect(readdirSync(folder)).toEqual([])
})
