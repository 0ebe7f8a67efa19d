import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type AgentProcess, startAgentProcess } from '../../../e2e/rigs/agent-process.ts'
import { freshFolder } from '../../../e2e/rigs/folder.ts'
import { type NameServer, startNameServer } from '../../../e2e/rigs/name-server.ts'

/** Names whose owner answers what he likes, and something else each time. */
const places = { credentials: '169.254.170.2', outside: '203.0.113.5', inside: '10.213.7.5' } as const
const nameServerAddress = '127.0.0.77'
const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const { folder, remove } = freshFolder('rebinding')

type Place = keyof typeof places
/** The first label of a name says what is answered in turn; the last answer stays. */
const turns: Record<string, readonly (readonly Place[])[]> = {
  'out-then-credentials': [['outside'], ['credentials']],
  'credentials-then-out': [['credentials'], ['outside']],
  'both-at-once': [['credentials', 'outside']],
  'in-then-credentials': [['inside'], ['credentials']],
  'nothing-then-credentials': [[], ['credentials']],
  'only-credentials': [['credentials']],
  outside: [['outside']],
  inside: [['inside']],
}

let agent: AgentProcess
let names: NameServer
let port: number
const sites: http.Server[] = []
const sockets = new WebSocketServer({ noServer: true })
const reached: string[] = []
const counts = new Map<string, number>()

function answersFor(name: string): string[] | undefined {
  const steps = name.endsWith('.attacker.net') ? turns[name.split('.').at(-3) ?? ''] : undefined
  if (steps === undefined) return undefined
  const count = counts.get(name) ?? 0
  counts.set(name, count + 1)
  return (steps[Math.min(count, steps.length - 1)] ?? []).map((place) => places[place])
}

function serve(place: Place): http.Server {
  const site = http.createServer(async (request, response) => {
    if (place === 'credentials') reached.push(`${request.method} ${request.headers.host}`)
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    if (pathname === '/large') return void response.end(Buffer.alloc(20_000_000, 97))
    const sent: Buffer[] = []
    for await (const part of request) sent.push(part as Buffer)
    response.setHeader('content-type', 'text/html').setHeader('access-control-allow-origin', '*')
    response.end(`<title>${place}</title><body>${Buffer.concat(sent).toString()}`)
  })
  site.on('upgrade', (request, socket, head) => {
    if (place === 'credentials') reached.push('upgrade')
    sockets.handleUpgrade(request, socket, head, (open) => open.on('message', (text) => open.send(`${text} back`)))
  })
  sites.push(site)
  return site
}

const at = (name: string, rest = '/') => `http://${name}.attacker.net:${port}${rest}`
const go = (url: string) => agent.client.call('browser.navigate', { url, timeout: 20_000 })
const run = async (script: string) =>
  (await agent.client.call('browser.execute', { expression: script, awaitPromise: true })).result

beforeAll(async () => {
  if (!isRoot) return
  for (const address of Object.values(places)) execFileSync('ip', ['address', 'replace', `${address}/32`, 'dev', 'lo'])
  for (const place of Object.keys(places) as Place[]) {
    const site = serve(place)
    await new Promise<void>((resolve) => site.listen(port ?? 0, places[place], resolve))
    port = (site.address() as AddressInfo).port
  }
  names = await startNameServer(nameServerAddress, answersFor)
  const file = path.join(folder, 'resolv.conf')
  writeFileSync(file, `nameserver ${nameServerAddress}\n`)
  const inside = `mount --bind ${file} /etc/resolv.conf && exec "$@"`
  agent = await startAgentProcess({}, ['unshare', '--mount', 'sh', '-c', inside, 'sh'])
  await agent.client.call('browser.start', { headless: true }, { timeoutMs: 60_000 })
}, 120_000)

afterAll(async () => {
  await agent?.stop()
  await names?.stop()
  for (const site of sites) {
    site.closeAllConnections()
    await new Promise((resolve) => site.close(resolve))
  }
  if (isRoot)
    for (const address of Object.values(places)) execFileSync('ip', ['address', 'del', `${address}/32`, 'dev', 'lo'])
  remove()
})

beforeEach(() => {
  reached.length = 0
  counts.clear()
})

describe.runIf(isRoot)('a name that leads elsewhere when it is asked for again', () => {
  test.each([
    ['out-then-credentials', 'outside'],
    ['both-at-once', 'outside'],
    ['in-then-credentials', 'inside'],
  ])('%s: the page is the one that was judged', async (kind, title) => {
    for (const round of ['one', 'two']) {
      for (let again = 0; again < 3; again++)
        expect(await go(at(`${round}.${kind}`))).toMatchObject({ title, status: 200 })
    }
    expect(names.asked).toContain(`one.${kind}.attacker.net`)
    expect(reached).toEqual([])
  })

  test.each(['only-credentials', 'credentials-then-out', 'nothing-then-credentials'])('%s: no page', async (kind) => {
    for (let again = 0; again < 3; again++)
      await expect(go(at(kind))).rejects.toMatchObject({
        extra: { reason: expect.stringMatching(/^net::ERR_(NETW|NAME)/) },
      })
    expect(reached).toEqual([])
  })

  test('is of no use to a page either', async () => {
    await go(at('outside'))
    const there = ['only-credentials', 'out-then-credentials', 'both-at-once', 'in-then-credentials']
    for (const kind of there) {
      const url = at(`from-page.${kind}`)
      await run(`fetch('${url}', { mode: 'no-cors' }).catch(() => {})`)
      await run(`fetch('${url}', { method: 'PUT', headers: { 'x-token': '1' } }).catch(() => {})`)
      await run(`new Promise((done) => {
        const socket = new WebSocket('${url.replace('http', 'ws')}')
        socket.onclose = socket.onopen = done
      })`)
      for (const [tag, key] of [
        ['iframe', 'src'],
        ['img', 'src'],
        ['script', 'src'],
        ['object', 'data'],
      ] as const)
        await run(`new Promise((done) => {
          const one = document.createElement('${tag}')
          one.onload = one.onerror = done
          setTimeout(done, 1000)
          one.${key} = '${url}'
          document.body.append(one)
        })`)
    }
    expect(reached).toEqual([])
  })
})

describe.runIf(isRoot)('every other name', () => {
  test('is a site as ever: pages, many requests at once, what is large, what is sent, a socket', async () => {
    expect(await go(at('outside'))).toMatchObject({ title: 'outside', status: 200 })
    const many = `Promise.all(Array.from({ length: 100 }, (_, n) => fetch('/?' + n).then((answer) => answer.status)))`
    expect(await run(many)).toEqual(Array(100).fill(200))
    expect(await run(`fetch('/large').then((answer) => answer.text()).then((text) => text.length)`)).toBe(20_000_000)
    const sent = `fetch('/', { method: 'POST', body: 'x'.repeat(1_000_000) }).then((answer) => answer.text())`
    expect(await run(`${sent}.then((text) => text.length - 1_000_000 < 100)`)).toBe(true)
    const socket = `new Promise((done) => {
      const socket = new WebSocket('ws://' + location.host)
      socket.onopen = () => socket.send('there')
      socket.onmessage = (message) => done(message.data)
    })`
    expect(await run(socket)).toBe('there back')
    expect(await go(at('inside'))).toMatchObject({ title: 'inside' })
  })

  test('that nobody has, or where nobody listens, is called what it is', async () => {
    await expect(go('http://nobody-has-this.attacker.net/')).rejects.toMatchObject({
      extra: { reason: 'net::ERR_NAME_NOT_RESOLVED' },
    })
    const reason = 'net::ERR_CONNECTION_REFUSED'
    await expect(go('http://outside.attacker.net:4999/')).rejects.toMatchObject({ extra: { reason } })
    const { requests } = await agent.client.call('browser.network', {})
    expect(requests.find(({ url }) => url.includes(':4999/'))?.failed).toBe(reason)
  })
})
