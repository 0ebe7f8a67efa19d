import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorReply, judged, judgeHeld, judgeObserver, readCommand, surelyReads, writeCommand } from './methods.ts'
import { mayHoldCookies, withoutCookies } from './without-cookies.ts'

const command = (method: string, params: Record<string, unknown> = {}) => ({ id: 1, method, params, sessionId: 'S' })
const observerMay = (method: string, params?: Record<string, unknown>) =>
  'pass' in judgeObserver(command(method, params))

describe('an observer', () => {
  test.each([
    'Page.enable',
    'Runtime.enable',
    'Network.enable',
    'DOM.getDocument',
    'Page.captureScreenshot',
    'Page.startScreencast',
    'Accessibility.getFullAXTree',
    'Log.enable',
    'Network.getResponseBody',
    'Overlay.highlightNode',
    'Overlay.hideHighlight',
    'DOM.performSearch',
    'Runtime.releaseObjectGroup',
  ])('may call %s', (method) => expect(observerMay(method)).toBe(true))

  test.each([
    'Runtime.evaluate',
    'Runtime.callFunctionOn',
    'Runtime.getProperties',
    'Runtime.runIfWaitingForDebugger',
    'Runtime.addBinding',
    'Page.navigate',
    'Page.reload',
    'Page.close',
    'Page.setDownloadBehavior',
    'Page.addScriptToEvaluateOnNewDocument',
    'Page.handleJavaScriptDialog',
    'Page.getCookies',
    'Browser.setDownloadBehavior',
    'Browser.close',
    'Browser.getBrowserCommandLine',
    'Network.getCookies',
    'Network.getRequestPostData',
    'Network.loadNetworkResource',
    'Overlay.setInspectMode',
    'Overlay.setPausedInDebuggerMessage',
    'Runtime.discardConsoleEntries',
    'Runtime.queryObjects',
    'Network.getAllCookies',
    'Network.setCookie',
    'Network.setExtraHTTPHeaders',
    'Storage.getCookies',
    'DOM.setAttributeValue',
    'DOM.focus',
    'DOM.setFileInputFiles',
    'Input.dispatchMouseEvent',
    'Target.createTarget',
    'Target.closeTarget',
    'Target.sendMessageToTarget',
    'Target.exposeDevToolsProtocol',
    'Fetch.enable',
    'Debugger.enable',
    'Emulation.setDeviceMetricsOverride',
    'IO.read',
    'Tracing.start',
    '',
    'page.enable',
    'Page.enable ',
    '__proto__',
    'constructor',
  ])('may not call %j', (method) => expect(observerMay(method)).toBe(false))

  test('may not use parameters that change something', () => {
    expect(observerMay('Target.attachToTarget', { flatten: true })).toBe(true)
    expect(observerMay('Target.attachToTarget', {})).toBe(false)
    expect(observerMay('Target.setAutoAttach', { autoAttach: true, flatten: true })).toBe(true)
    expect(observerMay('Target.setAutoAttach', { autoAttach: true, flatten: true, waitForDebuggerOnStart: true })).toBe(
      false,
    )
    expect(observerMay('Runtime.getProperties', { objectId: '1', ownProperties: true, generatePreview: true })).toBe(
      true,
    )
    expect(observerMay('Runtime.getProperties', { objectId: '1', ownProperties: false })).toBe(false)
    expect(
      observerMay('Runtime.getProperties', { objectId: '1', ownProperties: true, accessorPropertiesOnly: true }),
    ).toBe(false)
    expect(observerMay('Page.captureScreenshot', { clip: {} })).toBe(false)
    expect(observerMay('Page.captureScreenshot', { captureBeyondViewport: true })).toBe(false)
  })
})

describe('a controller while a person has the lease', () => {
  test('reads, and lets go of what it had stopped, unchanged', () => {
    expect(judgeHeld(command('DOM.getDocument'), 'Ann')).toHaveProperty('pass')
    expect(judgeHeld(command('Runtime.runIfWaitingForDebugger'), 'Ann')).toHaveProperty('pass')
    for (const method of ['Fetch.continueRequest', 'Fetch.fulfillRequest', 'Fetch.failRequest']) {
      expect(judgeHeld(command(method, { requestId: 'r', url: 'https://evil.example', body: 'x' }), 'Ann')).toEqual({
        pass: command('Fetch.continueRequest', { requestId: 'r' }),
      })
    }
  })

  test.each([
    'Input.dispatchMouseEvent',
    'Input.dispatchKeyEvent',
    'Input.insertText',
    'Page.navigate',
    'Runtime.evaluate',
    'Runtime.callFunctionOn',
    'Page.handleJavaScriptDialog',
    'Target.activateTarget',
    'Page.bringToFront',
  ])('%s is refused, with the name', (method) => {
    expect(judgeHeld(command(method), 'Ann')).toEqual({ refuse: expect.stringContaining('Ann has control') })
  })
})

describe('commands', () => {
  test('are written anew from what was checked', () => {
    const twice = '{"id":1,"method":"Runtime.evaluate","params":{"a":1},"method":"Page.enable","x":1}'
    const read = readCommand(twice)
    expect(read?.method).toBe('Page.enable')
    expect(writeCommand(read ?? command(''))).toBe('{"id":1,"method":"Page.enable","params":{"a":1}}')
  })
  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"id":1}',
    '{"id":"1","method":"x"}',
    '{"id":1,"method":2}',
    '[[[[',
    '{"id":1.5,"method":"x"}',
  ])('%j is none', (text) => {
    expect(readCommand(text)).toBeUndefined()
    expect(judged(text, judgeObserver)).toEqual({ answer: expect.stringMatching(/^\{.*"error":\{"code":-32[67]00,/) })
  })
  test('with null for parameters are as without', () => {
    expect(judged('{"id":1,"method":"Page.enable","params":null}', judgeObserver)).toEqual({
      pass: '{"id":1,"method":"Page.enable","params":{}}',
    })
  })
  test('that are wrong are answered under their number, since somebody waits for it', () => {
    const wrong = judged('{"id":7,"method":"Page.enable","sessionId":5}', judgeObserver)
    expect(wrong).toEqual({ answer: expect.stringContaining('{"id":7,"error":{"code":-32600,') })
    expect(judged('not json', judgeObserver)).toEqual({ answer: expect.stringContaining('{"error":{"code":-32700,') })
  })
  test('an error names the command and its session', () => {
    expect(JSON.parse(errorReply(command('x'), 'no'))).toEqual({
      id: 1,
      error: { code: -32000, message: 'no' },
      sessionId: 'S',
    })
  })
})

describe('events with cookies in them', () => {
  const event = (method: string, params: unknown) => JSON.stringify({ method, params, sessionId: 'S' })
  test('are found by their first bytes', () => {
    expect(mayHoldCookies(Buffer.from(event('Network.responseReceived', {})))).toBe(true)
    expect(mayHoldCookies(Buffer.from(event('Page.loadEventFired', { url: '"Network.' })))).toBe(false)
  })
  test('lose them', () => {
    const headers = { 'Set-Cookie': 'sid=1', cookie: 'sid=1', Authorization: 'Bearer x', Accept: '*/*' }
    const text = withoutCookies(
      event('Network.responseReceived', {
        response: { headers, requestHeaders: headers, headersText: 'Cookie: sid=1' },
      }),
    )
    expect(text).not.toMatch(/sid=1|Bearer/)
    expect(text).toContain('Accept')
    const request = (url: string) => event('Network.requestWillBeSent', { request: { url, postData: 'a@b' } })
    expect(withoutCookies(request('https://ann:p%40ss@shop.example/a@b'))).toBe(request('https://shop.example/a@b'))
    expect(withoutCookies(request('https://shop.example/?to=a@b'))).toBe(request('https://shop.example/?to=a@b'))
    expect(withoutCookies(event('Network.requestWillBeSentExtraInfo', { headers }))).toBeNull()
    expect(withoutCookies(event('Network.responseReceivedExtraInfo', { headers }))).toBeNull()
  })
})

describe('judged without parsing', () => {
  test.each([
    '{"id":1,"method":"Page.enable"}',
    '{"id":1,"method":"Page.enable","params":{},"sessionId":"0AF"}',
    '{"id":7,"method":"DOM.getDocument","params":{"depth":-1,"pierce":true}}',
    '{"method":"DOM.getDocument","params":{"depth":-1},"id":7,"sessionId":"0AF"}',
  ])('%s passes as it came', (text) => expect(surelyReads(text)).toBe(true))

  test.each([
    '{"id":1,"method":"Runtime.evaluate","params":{"expression":"1"}}',
    '{"id":1,"method":"Page.captureScreenshot","params":{"captureBeyondViewport":true}}',
    '{"id":1,"method":"Target.attachToTarget","params":{"targetId":"A"}}',
    '{"id":1,"method":"Page.enable","params":{},"method":"Runtime.evaluate"}',
    '{"method":"Runtime.evaluate","id":1,"method":"Page.enable"}',
    '{"id":1,"method":"Page.enable","params":{"a":{}},"method":"Runtime.evaluate"}',
    '{"id":1,"method":"Page.enable","params":{"a":"}"},"method":"Runtime.evaluate"}',
    '{"id":1,"method":"Page.enable","params":{/*}*/},"method":"Runtime.evaluate"}',
    '{"id":1,"method":"Page.enable","params":{}/*"*/,"method":"Runtime.evaluate"}',
    '{"id":1,"method":"Page.enable"} {"id":2,"method":"Runtime.evaluate"}',
    '{"id":1,"method":"Page.enable","params":{},"sessionId":"AF","method":"Runtime.evaluate"}',
    '{"id":1,"method":"Page.\\u0065nable"}',
    '{"id":1,"method":"toString.constructor"}',
  ])('%s is not', (text) => expect(surelyReads(text)).toBe(false))

  test('whatever is put together: what passes unread would pass when read, and is what a reader sees', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '"', ',', ':', '\\', '/*', '*/', '//', ' ', '\n', '"id":1', '"id":2', '"params":{', '"params":{}'],
      ...['"method":"Page.enable"', '"method":"Runtime.evaluate"', '"method":"DOM.getDocument"', '"a":"', '"a":1'],
      ...['"sessionId":"AF"', '"sessionId":"zz"', '\\u007d', 'x'],
    )
    let passed = 0
    const check = (text: string) => {
      if (!surelyReads(text)) return
      passed++
      const command = readCommand(text)
      // No JSON to us, and none to Chromium.
      if (command === undefined) return
      expect('pass' in judgeObserver(command), text).toBe(true)
      // The first of that name is also the last: no two readers differ about it.
      expect(command.method).toBe(/"method":"([^"]*)"/.exec(text)?.[1])
    }
    const usual = fc
      .tuple(fc.array(piece, { maxLength: 5 }), fc.array(piece, { maxLength: 3 }))
      .map(([inside, after]) => `{"id":1,"method":"Page.enable","params":{${inside.join('')}}${after.join('')}}`)
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => check(pieces.join(''))),
      { numRuns: 5000 },
    )
    fc.assert(fc.property(usual, check), { numRuns: 5000 })
    expect(passed).toBeGreaterThan(0)
  })
})
