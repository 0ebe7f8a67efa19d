import { existsSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contentSecurityPolicy } from '../electron/app-scheme.ts'
import type { IpcAnswer } from '../shared/ipc.ts'
import { builtConsole, projectRoot } from './rigs/built.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { startProgram } from './rigs/program.ts'
import { until } from './rigs/until.ts'

/** What a script in the console's window could do, were a hostile one ever to run there. */
let console: TestConsole
/** A server that the window must not reach: whatever arrives here got out. */
let outside: http.Server
let outsidePort = 0
const arrived: string[] = []

beforeAll(async () => {
  outside = http.createServer((request, response) => {
    arrived.push(request.url ?? '')
    response.setHeader('access-control-allow-origin', '*').end('<title>outside</title>')
  })
  outside.on('upgrade', (request, socket) => {
    arrived.push(`upgrade ${request.url}`)
    socket.destroy()
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  outsidePort = (outside.address() as AddressInfo).port
  console = await startConsole()
  await console.window.getByTestId('try-local').waitFor()
}, 120_000)
afterAll(async () => {
  await console?.stop()
  outside?.close()
})
beforeEach(() => {
  arrived.length = 0
})

/** The directive that a piece of script in the window violated. */
function violation(attempt: string): Promise<string> {
  return console.window.evaluate(
    `new Promise((resolve) => {
      addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true })
      ;(() => { ${attempt} })()
    })`,
  )
}

describe('the window has nothing but the bridge', () => {
  test('no Node, no Electron', async () => {
    const found = await console.window.evaluate(() =>
      ['require', 'process', 'module', 'Buffer', 'global', 'electron', '__dirname'].filter(
        (name) => name in globalThis,
      ),
    )
    expect(found).toEqual([])
  })

  test('the bridge has two functions and does not give away Electron objects', async () => {
    const bridge = await console.window.evaluate(() => {
      const found = (globalThis as unknown as { pilothouse: object }).pilothouse
      return Object.entries(found).map(([name, value]) => `${name} ${typeof value}`)
    })
    expect(bridge.sort()).toEqual(['invoke function', 'onEvent function'])
  })

  test('every window is sandboxed, isolated and without Node', async () => {
    const preferences = await console.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => {
        const contents = window.webContents as unknown as { getLastWebPreferences(): Electron.WebPreferences }
        const { sandbox, contextIsolation, nodeIntegration, webviewTag, webSecurity } = contents.getLastWebPreferences()
        return { sandbox, contextIsolation, nodeIntegration, webviewTag, webSecurity }
      }),
    )
    const sealed = {
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      webSecurity: true,
    }
    expect(preferences).toEqual([sealed])
  })

  test('its page comes from our own scheme, and that serves nothing else', async () => {
    expect(console.window.url()).toBe('app://pilothouse/')
    const statuses = await console.window.evaluate(async () => {
      const paths = [
        '/',
        '/../../package.json',
        '/%2e%2e/%2e%2e/package.json',
        '/..%2f..%2fpackage.json',
        '/etc/passwd',
      ]
      const status = async (path: string) => (await fetch(`app://pilothouse${path}`)).status
      return Promise.all([...paths.map((path) => status(path).catch(() => 'refused')), policyOfThePage()])
      async function policyOfThePage() {
        return (await fetch('app://pilothouse/')).headers.get('content-security-policy')
      }
    })
    expect(statuses).toEqual([200, 'refused', 'refused', 'refused', 'refused', contentSecurityPolicy])
  })
})

describe('the content security policy', () => {
  test.each([
    [
      'an inline script',
      `document.body.append(Object.assign(document.createElement('script'), { textContent: 'globalThis.ran = 1' }))`,
      'script-src-elem',
    ],
    [
      'an inline handler',
      `document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.ran = 1">')`,
      'script-src-attr',
    ],
    [
      'a script from elsewhere',
      `document.body.append(Object.assign(document.createElement('script'), { src: 'data:text/javascript,globalThis.ran=1' }))`,
      'script-src-elem',
    ],
    // Later, because what a driver runs directly is excepted from the rule.
    ['eval', `setTimeout(() => { try { eval('globalThis.ran = 1') } catch {} })`, 'script-src'],
    [
      'a function from text',
      `setTimeout(() => { try { new Function('globalThis.ran = 1')() } catch {} })`,
      'script-src',
    ],
    [
      'a frame',
      `document.body.append(Object.assign(document.createElement('iframe'), { src: 'data:text/html,x' }))`,
      'frame-src',
    ],
    [
      'another base',
      `document.head.append(Object.assign(document.createElement('base'), { href: 'https://example.com/' }))`,
      'base-uri',
    ],
  ])('refuses %s', async (_name, attempt, directive) => {
    expect(await violation(attempt)).toBe(directive)
    expect(await console.window.evaluate(() => 'ran' in globalThis)).toBe(false)
  })

  test.each([
    ['fetch', (port: number) => `fetch('http://127.0.0.1:${port}/fetch').catch(() => {})`],
    ['fetch to the internet', () => `fetch('https://example.com/').catch(() => {})`],
    ['a WebSocket', (port: number) => `try { new WebSocket('ws://127.0.0.1:${port}/socket') } catch {}`],
    ['an event source', (port: number) => `new EventSource('http://127.0.0.1:${port}/events')`],
    ['a beacon', (port: number) => `navigator.sendBeacon('http://127.0.0.1:${port}/beacon', 'x')`],
  ])('lets nothing out by %s', async (_name, attempt) => {
    expect(await violation(attempt(outsidePort))).toBe('connect-src')
    expect(arrived).toEqual([])
  })

  test('lets nothing out by a picture or a form', async () => {
    expect(await violation(`new Image().src = 'http://127.0.0.1:${outsidePort}/picture'`)).toBe('img-src')
    const form = `const form = document.createElement('form'); form.action = 'http://127.0.0.1:${outsidePort}/form'; document.body.append(form); form.submit()`
    expect(await violation(form)).toBe('form-action')
    expect(arrived).toEqual([])
  })
})

describe('the window goes nowhere', () => {
  test.each([
    ['an address', (url: string) => `location.href = ${JSON.stringify(url)}`],
    ['a link', (url: string) => `Object.assign(document.createElement('a'), { href: ${JSON.stringify(url)} }).click()`],
  ])('%s is refused', async (_name, attempt) => {
    await console.app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      const seen: boolean[] = []
      Object.assign(globalThis, { refusals: seen })
      // Asked after the console's own listeners, so that their answer is known.
      window?.webContents.once('will-frame-navigate', (event) => seen.push(event.defaultPrevented))
    })
    await console.window.evaluate(attempt(`http://127.0.0.1:${outsidePort}/away`))
    const refused = await until('the attempt', async () => {
      const [first] = await console.app.evaluate(() => (globalThis as unknown as { refusals: boolean[] }).refusals)
      return first === undefined ? undefined : String(first)
    })
    expect(refused).toBe('true')
    expect(console.window.url()).toBe('app://pilothouse/')
    expect(arrived).toEqual([])
  })

  test('no other window opens', async () => {
    for (const url of [
      `http://127.0.0.1:${outsidePort}/open`,
      'about:blank',
      'app://pilothouse/',
      'file:///etc/passwd',
    ]) {
      expect(await console.window.evaluate((address) => window.open(address) === null, url)).toBe(true)
    }
    expect(await console.app.evaluate(({ webContents }) => webContents.getAllWebContents().length)).toBe(1)
    expect(arrived).toEqual([])
  })

  test('no page inside the page', async () => {
    await console.window.evaluate((url) => {
      document.body.append(Object.assign(document.createElement('webview'), { src: url }))
    }, `http://127.0.0.1:${outsidePort}/webview`)
    expect(await console.app.evaluate(({ webContents }) => webContents.getAllWebContents().length)).toBe(1)
    expect(arrived).toEqual([])
  })
})

test('permissions are denied', async () => {
  const answers = await console.window.evaluate(async () => {
    const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'GeolocationPositionError')
    const location = new Promise((_resolve, reject) =>
      navigator.geolocation.getCurrentPosition(() => _resolve(''), reject),
    )
    const devices = navigator as unknown as { usb?: { getDevices(): Promise<unknown[]> } }
    return {
      notifications: await Notification.requestPermission(),
      camera: await navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'given', nameOf),
      microphone: await navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'given', nameOf),
      screen: await navigator.mediaDevices.getDisplayMedia().then(() => 'given', nameOf),
      location: await location.then(() => 'given', nameOf),
      clipboard: await navigator.clipboard.readText().then(() => 'given', nameOf),
      usb: (await devices.usb?.getDevices())?.length ?? 0,
    }
  })
  expect(answers).toMatchObject({ notifications: 'denied', location: 'GeolocationPositionError', usb: 0 })
  for (const name of ['camera', 'microphone', 'screen', 'clipboard'] as const)
    expect(answers[name], name).not.toBe('given')
})

describe('main takes only what is declared', () => {
  const invoke = (...args: unknown[]) =>
    console.window.evaluate((given) => {
      const { pilothouse } = globalThis as unknown as { pilothouse: { invoke(...args: unknown[]): Promise<unknown> } }
      return pilothouse.invoke(...given)
    }, args) as Promise<IpcAnswer>

  test('what is declared works', async () => {
    expect(await invoke('fleet.list', {})).toEqual({ ok: true, value: [] })
  })

  test.each([
    ['an unknown name', ['unknown', {}], 'unknown-route'],
    ['a name of every object', ['constructor', {}], 'unknown-route'],
    ['another such name', ['__proto__', {}], 'unknown-route'],
    ['a name that is none', [{ toString: 'fleet.list' }, {}], 'unknown-route'],
    ['no name', [], 'unknown-route'],
    ['an extra key', ['fleet.list', { extra: true }], 'invalid-params'],
    ['no parameters', ['fleet.list'], 'invalid-params'],
    ['parameters of another kind', ['fleet.verify', ['local']], 'invalid-params'],
    ['a value that is too long', ['app.copyText', { text: 'x'.repeat(1024 * 1024 + 1) }], 'invalid-params'],
    ['a machine that is not there', ['fleet.verify', { machineId: 'nobody' }], 'unknown-machine'],
  ])('%s is refused with a problem', async (_name, args, code) => {
    const answer = await invoke(...args)
    expect(answer).toMatchObject({ ok: false, problem: { code, detail: expect.stringMatching(/\S/) } })
  })
})

test('a second console takes its arguments to nobody: it brings the first to the front, and ends', async () => {
  const electron = await builtConsole()
  const picture = path.join(console.tempDir, 'second.png')
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const words = ['--demo', `--screenshot=${picture}`, `pilothouse://add?host=127.0.0.1&port=${outsidePort}&run=id`]
  const env = await console.app.evaluate(() => process.env)
  const second = await startProgram(electron, [...sandbox, projectRoot, ...words], { env })
  try {
    await until('the second console to end', () => second.exitCode !== undefined)
  } finally {
    await second.end()
  }
  expect(second.exitCode, second.output()).toBe(0)
  expect([existsSync(picture), arrived]).toEqual([false, []])
  const fleet = await console.window.evaluate(() => window.pilothouse.invoke('fleet.list', {}))
  expect(fleet).toEqual({ ok: true, value: [] })
  expect(console.app.windows()).toHaveLength(1)
  // Nor is there an address that another program could open the console by.
  const handled = await console.app.evaluate(({ app }) =>
    ['pilothouse', 'app'].map((name) => app.isDefaultProtocolClient(name)),
  )
  expect(handled).toEqual([false, false])
})
