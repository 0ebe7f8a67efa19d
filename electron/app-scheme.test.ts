import path from 'node:path'
import { expect, test } from 'vitest'
import { beginningsOf, contentSecurityPolicy, resolveAppFile, responseHeaders } from './app-scheme.ts'

const root = path.resolve('/app/out/renderer')

test('pages, scripts and fonts are served with their types', () => {
  expect(resolveAppFile('app://pilothouse/', root)).toEqual({
    file: path.join(root, 'index.html'),
    contentType: 'text/html; charset=utf-8',
  })
  expect(resolveAppFile('app://pilothouse/assets/index-1a2b.js?v=1#x', root)?.contentType).toContain('javascript')
  expect(resolveAppFile('app://pilothouse/assets/inter.woff2', root)?.file).toBe(
    path.join(root, 'assets', 'inter.woff2'),
  )
})

test.each([
  'app://pilothouse/..%2f..%2fetc%2fpasswd.js',
  'app://pilothouse/assets/%2e%2e%2f%2e%2e%2fmain%2fmain.js',
  'app://pilothouse/..%5c..%5cmain.js',
  'app://pilothouse/..%2frenderer-beside%2fmain.js',
  'app://pilothouse/index.html%00.js',
  'app://pilothouse/%zz.js',
  'app://elsewhere/index.html',
  'app://user@pilothouse/index.html',
  'app://pilothouse:1/index.html',
  'file:///app/out/renderer/index.html',
  'app://pilothouse/assets/unknown.exe',
  'app://pilothouse/%2fetc%2fpasswd',
  'not a url',
])('%s is refused', (url) => {
  expect(resolveAppFile(url, root)).toBeUndefined()
})

test.each(['app://pilothouse/../main/main.js', 'app://pilothouse/%2e%2e/%2e%2e/main/main.js'])(
  'the dots of %s end at the folder',
  (url) => {
    expect(resolveAppFile(url, root)?.file).toBe(path.join(root, 'main', 'main.js'))
  },
)

test('the policy lets no inline script, no eval and no foreign address in', () => {
  const rules = new Map(contentSecurityPolicy.split('; ').map((rule) => [rule.split(' ')[0], rule]))
  expect(rules.get('script-src')).toBe("script-src 'self'")
  expect(rules.get('style-src')).toBe("style-src 'self'")
  expect(rules.get('connect-src')).toBe("connect-src 'self'")
  expect(rules.get('default-src')).toBe("default-src 'none'")
  expect(contentSecurityPolicy).not.toMatch(/unsafe-eval|https?:|\*/)
})

test('each file carries the policy, is what it says it is, and tells nobody where it came from', () => {
  expect(responseHeaders('text/javascript')).toEqual({
    'content-type': 'text/javascript',
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
})

test('the files that a page begins with are known by their names', () => {
  const html = `<script type="module" crossorigin src="./assets/runtime-1.js"></script>
    <script type="module" src="assets/start-2.js"></script><script>later()</script>
    <link rel="stylesheet" crossorigin href="./assets/start-3.css"><link rel="icon" href="./assets/icon.png">`
  expect(beginningsOf(html)).toEqual(['runtime-1.js', 'start-2.js', 'start-3.css'])
})
