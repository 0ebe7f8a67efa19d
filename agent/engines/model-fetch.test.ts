import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endingWith, modelFetch } from './model-fetch.ts'

let url = ''
let open = 0
const megabyte = Buffer.alloc(1024 * 1024, ' ')
const server = http.createServer((request, response) => {
  open++
  response.on('close', () => open--)
  if (request.url === '/short') response.end('{"a":1}')
  if (request.url === '/nothing') response.writeHead(204).end()
  if (request.url === '/begun') response.write('{')
  if (request.url !== '/endless') return
  const more = () => {
    while (!response.destroyed && response.write(megabyte)) {}
  }
  response.on('drain', more)
  more()
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('an answer comes as it is', async () => {
  const response = await modelFetch(`${url}/short`)
  expect([response.status, await response.json()]).toEqual([200, { a: 1 }])
  expect((await modelFetch(`${url}/nothing`)).status).toBe(204)
})

test.each(['/silent', '/begun'])('a call to %s ends with its operation, and no other does', async (path) => {
  const [late, other] = [new AbortController(), new AbortController()]
  const ask = () => modelFetch(url + path).then((response) => response.text())
  const asked = endingWith(late.signal, ask)
  const stays = endingWith(other.signal, ask)
  for (const one of [asked, stays]) one.catch(() => {})
  await expect.poll(() => open).toBe(2)
  late.abort(new Error('too late'))
  await expect(asked).rejects.toThrow('too late')
  await expect.poll(() => open).toBe(1)
  other.abort(new Error('enough'))
  await expect(stays).rejects.toThrow('enough')
  await expect.poll(() => open).toBe(0)
  await expect(endingWith(late.signal, ask)).rejects.toThrow('too late')
})

test('an answer that never ends is not taken in', async () => {
  const response = await modelFetch(`${url}/endless`)
  await expect(response.text()).rejects.toThrow("The model's answer is longer than 16 MB.")
  await expect.poll(() => open).toBe(0)
})
