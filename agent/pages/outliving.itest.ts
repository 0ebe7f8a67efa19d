import { expect, test } from 'vitest'
import { benchForFile } from './pages-bench.ts'

const bench = benchForFile()

test('what was sent to outlive its page is not said to be broken off, and has the answer that came', async () => {
  await bench.open('/')
  await bench.evaluate(`(() => {
    fetch('/slow?ms=1500&kept', { method: 'POST', keepalive: true }).catch(() => {})
    navigator.sendBeacon('/slow?ms=1500&beacon', 'x')
    navigator.sendBeacon('/never?beacon', 'x')
    fetch('/never?left').catch(() => {})
  })()`)
  const sent = async (urlPattern: string) => (await bench.api.browser.network({ urlPattern })).requests
  await expect.poll(async () => (await sent('/(slow|never)\\?')).length).toBe(4)
  await bench.open('/article')
  await expect.poll(async () => (await sent('/never\\?left'))[0]?.failed).toBe('net::ERR_ABORTED')
  const answered = { status: 200, failed: null, duration: expect.any(Number) }
  await expect.poll(() => sent('/slow'), { timeout: 10_000 }).toMatchObject([answered, answered])
  expect(await sent('/never\\?beacon')).toMatchObject([{ status: null, failed: null, duration: null }])
  // With its tab goes whoever could tell of it.
  await bench.reset()
  const untold = { status: null, failed: null, duration: expect.any(Number) }
  await expect.poll(() => sent('/never\\?beacon')).toMatchObject([untold])
})
