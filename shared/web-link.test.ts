import { expect, test } from 'vitest'
import { isWebLink } from './web-link.ts'

test('only addresses of the web that lead where they seem to are opened', () => {
  for (const good of ['https://example.org/a?b=c#d', 'http://127.0.0.1:3000/', 'https://xn--bcher-kva.example/']) {
    expect(isWebLink(good), good).toBe(true)
  }
  const bad = [
    '',
    'example.org',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'ssh://host',
    'vscode://x',
    'https://example.org@evil.example/',
    'https://user:pass@evil.example/',
    'https://exa\tmple.org/',
    'https://example.org/\u202egpj.exe',
    'https://example.org/\r\nx',
    'https:\\\\example.org',
    'https://',
  ]
  for (const one of bad) expect(isWebLink(one), one).toBe(false)
})
