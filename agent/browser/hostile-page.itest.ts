import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { type CdpPage, chromiumAddress, findPage } from '../../e2e/rigs/cdp-page.ts'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { listeningSockets } from '../../e2e/rigs/sockets.ts'
import { calls, sockets } from '../../shared/contract/index.ts'
import { findChromium } from './chromium.ts'

/** A page in the real browser that wants out. */
let rig: TestAgent
let page: CdpPage
let site: http.Server
let cdp: URL
let browserPath: string
let vncPort: number

/** Where clouds hand out credentials; a name of the attacker's own leads there, and another one home. */
const metadata = '169.254.169.254'
const names = `127.0.0.1 localhost home.test\n${metadata} metadata.test\n`
const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const { folder, remove } = freshFolder('hostile')

/** A Chromium that sees other names than the rest of the machine does. */
function chromiumWithNames(): string {
  const [hosts, program] = [path.join(folder, 'hosts'), path.join(folder, 'chromium')]
  writeFileSync(hosts, names)
  const inside = `mount --bind ${hosts} /etc/hosts && exec ${findChromium()} "$@"`
  writeFileSync(program, `#!/bin/sh\nexec unshare --mount sh -c '${inside}' sh "$@"\n`, { mode: 0o755 })
  return program
}

beforeAll(async () => {
  if (isRoot) vi.stubEnv('PILOTHOUSE_CHROMIUM', chromiumWithNames())
  site = http.createServer((request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://site')
    const to = searchParams.get('to')
    const script = pathname === '/worker'
    const text = `fetch('${search.slice(1)}').then(() => postMessage('read'), () => postMessage('failed'))`
    if (to !== null) response.writeHead(302, { location: to })
    else response.setHeader('content-type', script ? 'text/javascript' : 'text/html')
    response.end(script ? text : '<title>evil')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${sitePort()}/`
  rig = await startTestAgent()
  const status = await rig.client.call('browser.start', { url }, { timeoutMs: 60_000 })
  cdp = new URL(chromiumAddress(rig.dataDir))
  const version = (await (await fetch(new URL('/json/version', cdp))).json()) as { webSocketDebuggerUrl: string }
  browserPath = new URL(version.webSocketDebuggerUrl).pathname
  const display = status.processes.filter((program) => program.name === 'Xvnc').map((program) => program.pid)
  vncPort = Number(
    listeningSockets(display)
      .find(({ kind }) => kind === 'tcp')
      ?.address.split(':')
      .at(-1),
  )
  const found = await findPage(cdp.origin, (address) => address.startsWith(url))
  if (found === undefined) throw new Error('the page is not there')
  page = found
})
afterAll(async () => {
  page?.close()
  await rig?.stop()
  await new Promise((resolve) => site.close(resolve))
  vi.unstubAllEnvs()
  remove()
})

const sitePort = () => (site.address() as net.AddressInfo).port

/** What a script gets to see of an address: the text, or why not. */
const read = (url: string, options = '{}') =>
  page.evaluate<string>(`fetch(${JSON.stringify(url)}, ${options}).then(
    async (r) => r.type === 'opaque' ? 'opaque' : 'read ' + r.status + ' ' + await r.text(), (e) => 'failed ' + e.name)`)
const upgrade = (url: string) =>
  page.evaluate<string>(`new Promise((resolve) => { const s = new WebSocket(${JSON.stringify(url)})
    s.onopen = () => resolve('open'); s.onerror = () => resolve('refused') })`)

/** Requests that the agent answered with something else than a problem. */
async function answered(): Promise<number> {
  const headers = { accept: 'application/openmetrics-text' }
  const text = await new Promise<string>((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port: rig.port, path: '/metrics', headers, agent: false }, (response) => {
        let received = ''
        response.on('data', (chunk: Buffer) => {
          received += String(chunk)
        })
        response.on('end', () => resolve(received))
      })
      .on('error', reject)
  })
  const value = (name: string) => Number(new RegExp(`^\\w*_${name}(?:_total)? (\\d+)`, 'm').exec(text)?.[1])
  const result = value('requests') - value('problems')
  expect(result).not.toBeNaN()
  return result
}

/** A new address of the sixth version is looked at for others that have it before it can be used. */
function listening(server: http.Server, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(0, address, () => resolve(true))
  })
}

describe('a hostile page', () => {
  test('gets nothing out of the agent, by any call', async () => {
    const before = await answered()
    const agent = `http://127.0.0.1:${rig.port}`
    for (const path of ['/health', '/metrics', '/status', '/v1/browser/status', '/v1/browser/cdp/json/version']) {
      expect(await read(agent + path)).toBe('failed TypeError')
      expect(await read(`http://localhost:${rig.port}${path}`)).toBe('failed TypeError')
      expect(await read(agent + path, '{ mode: "no-cors" }')).toMatch(/opaque|failed/)
    }
    for (const call of calls.filter(({ method }) => method !== 'GET')) {
      const body = `{ method: "${call.method}", mode: "no-cors", body: "{}", headers: { "content-type": "text/plain" } }`
      expect(await read(agent + call.path.replace(/:\w+/, 'x'), body)).toMatch(/opaque|failed/)
    }
    await page.evaluate(`new Promise((resolve) => { const i = new Image(); i.onload = i.onerror = resolve
      i.referrerPolicy = 'no-referrer'; i.src = '${agent}/v1/browser/stop' })`)
    await page.evaluate(`(() => { const f = document.createElement('form'); f.method = 'POST'; f.target = 'sink'
      f.action = '${agent}/v1/browser/stop'; const i = document.createElement('iframe'); i.name = 'sink'
      document.body.append(i, f); f.submit(); return new Promise((r) => { i.onload = () => r(1); setTimeout(r, 1000) }) })()`)
    // A name of the attacker's own that leads to this machine.
    expect(await read(`http://rebound.localhost:${rig.port}/health`, '{ mode: "no-cors" }')).toMatch(/opaque|failed/)
    // The second look at the counters is itself answered; nothing else was.
    expect(await answered()).toBe(before + 1)
    expect((await rig.client.call('browser.status')).state).toBe('active')
  })

  test('opens none of its sockets', async () => {
    for (const socket of sockets) {
      const path = socket.path.replace(/:\w+/, 'x')
      expect(await upgrade(`ws://127.0.0.1:${rig.port}${path}`), path).toBe('refused')
      expect(await upgrade(`ws://localhost:${rig.port}${path}?token=guess`), path).toBe('refused')
    }
  })

  test('does not reach the debugging port, even where it knows the secret path', async () => {
    expect(await read(`${cdp.origin}/json/version`)).toBe('failed TypeError')
    expect(await read(`${cdp.origin}/json/list`)).toBe('failed TypeError')
    expect(await read(`${cdp.origin}/json/new?about:blank`, '{ method: "PUT" }')).toBe('failed TypeError')
    expect(await upgrade(`ws://127.0.0.1:${cdp.port}${browserPath}`)).toBe('refused')
    expect(await upgrade(`ws://localhost:${cdp.port}${browserPath}`)).toBe('refused')
  })

  test('does not reach the VNC server', async () => {
    expect(vncPort).toBeGreaterThan(0)
    expect(await read(`http://127.0.0.1:${vncPort}/`)).toBe('failed TypeError')
    expect(await read(`http://127.0.0.1:${vncPort}/`, '{ mode: "no-cors" }')).toBe('failed TypeError')
    expect(await upgrade(`ws://127.0.0.1:${vncPort}/`)).toBe('refused')
  })

  test.runIf(isRoot)('does not reach the address where clouds hand out credentials', async () => {
    const asked: string[] = []
    const cloud = http.createServer((request, response) => {
      asked.push(request.headers.host ?? '')
      response.setHeader('access-control-allow-origin', '*').end('credentials')
    })
    execFileSync('ip', ['address', 'add', `${metadata}/32`, 'dev', 'lo'])
    try {
      await new Promise<void>((resolve) => cloud.listen(0, metadata, resolve))
      const { port } = cloud.address() as net.AddressInfo
      expect(await (await fetch(`http://${metadata}:${port}/`)).text()).toBe('credentials')
      asked.length = 0
      for (const host of [metadata, '2852039166', '0xA9FEA9FE', '[::ffff:169.254.169.254]', 'metadata.test']) {
        expect(await read(`http://${host}:${port}/`), host).toBe('failed TypeError')
        expect(await read(`http://${host}:${port}/`, '{ mode: "no-cors" }'), host).toBe('failed TypeError')
      }
      const there = `http://metadata.test:${port}/`
      expect(await upgrade(`ws://metadata.test:${port}/`)).toBe('refused')
      expect(await read(`/?to=${encodeURIComponent(there)}`)).toBe('failed TypeError')
      const worker = `new Promise((resolve) => { new Worker('/worker?${there}').onmessage = (e) => resolve(e.data) })`
      expect(await page.evaluate(worker)).toBe('failed')
      for (const url of [there, `http://home.test:${sitePort()}/?to=${encodeURIComponent(there)}`]) {
        const reason = 'net::ERR_PROXY_CONNECTION_FAILED'
        await expect(rig.client.call('browser.navigate', { url })).rejects.toMatchObject({ extra: { reason } })
      }
      expect(asked).toEqual([])
    } finally {
      cloud.closeAllConnections()
      await new Promise((resolve) => cloud.close(resolve))
      execFileSync('ip', ['address', 'del', `${metadata}/32`, 'dev', 'lo'])
    }
  })

  // Of Alibaba, Azure, Amazon, Oracle and Google; each written in all ways that lead there.
  test.runIf(isRoot).each([
    ['100.100.100.200', ['100.100.100.200', '1684301000', '[::ffff:100.100.100.200]', '[::ffff:6464:64c8]']],
    ['168.63.129.16', ['168.63.129.16', '0xA83F8110', '[::ffff:168.63.129.16]']],
    ['fd00:ec2::254', ['[fd00:ec2::254]', '[fd00:0ec2:0:0::0254]']],
    ['fd00:c1::a9fe:a9fe', ['[fd00:c1::a9fe:a9fe]', '[fd00:c1::169.254.169.254]']],
    ['fd20:ce::254', ['[fd20:ce::254]']],
  ])('does not reach %s, however it is written', async (address, hosts) => {
    const asked: string[] = []
    const cloud = http.createServer((request, response) => {
      asked.push(request.headers.host ?? '')
      response.setHeader('access-control-allow-origin', '*').end('credentials')
    })
    const prefix = net.isIPv6(address) ? 128 : 32
    execFileSync('ip', ['address', 'add', `${address}/${prefix}`, 'dev', 'lo'])
    try {
      await expect.poll(() => listening(cloud, address)).toBe(true)
      const { port } = cloud.address() as net.AddressInfo
      expect(await (await fetch(`http://${hosts[0]}:${port}/`)).text()).toBe('credentials')
      asked.length = 0
      for (const host of hosts) expect(await read(`http://${host}:${port}/`), host).toBe('failed TypeError')
      const url = `http://${hosts.at(-1)}:${port}/`
      await expect(rig.client.call('browser.navigate', { url })).rejects.toMatchObject({ code: 'cdp-error' })
      expect(asked).toEqual([])
    } finally {
      cloud.closeAllConnections()
      await new Promise((resolve) => cloud.close(resolve))
      execFileSync('ip', ['address', 'del', `${address}/${prefix}`, 'dev', 'lo'])
    }
  })

  test.runIf(isRoot)('leaves other names as they are', async () => {
    const url = `http://home.test:${sitePort()}/`
    expect(await rig.client.call('browser.navigate', { url })).toMatchObject({ title: 'evil', status: 200 })
    // A name that nobody has is that, and no trouble with a proxy.
    await expect(rig.client.call('browser.navigate', { url: 'http://nobody.invalid/' })).rejects.toMatchObject({
      extra: { reason: expect.stringMatching(/NAME_NOT_RESOLVED|INTERNET_DISCONNECTED/) },
    })
  })
})
