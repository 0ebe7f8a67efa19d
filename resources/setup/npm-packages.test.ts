import { expect, test } from 'vitest'
import { allowedScripts, isInstalled, lacksOnlyOptional } from './npm-packages.mjs'

const manifest = { dependencies: { ws: '8.0.0' }, devDependencies: { zod: '4.0.0', esbuild: '1.0.0' } }
const zod = { version: '4.0.0', integrity: 'sha512-zod' }
const ws = { version: '8.0.0', integrity: 'sha512-ws' }
const lock = {
  packages: {
    // npm sorts the names; package.json need not.
    '': { dependencies: { ws: '8.0.0' }, devDependencies: { esbuild: '1.0.0', zod: '4.0.0' } },
    'node_modules/ws': ws,
    'node_modules/zod': zod,
    'node_modules/only-on-mac': { version: '1.0.0', integrity: 'sha512-mac', optional: true },
  },
}

test('what npm recorded is enough, without packages for other platforms', () => {
  expect(isInstalled(lock, { packages: { 'node_modules/ws': ws, 'node_modules/zod': zod } }, manifest)).toBe(true)
})

test.each([
  ['a missing package', { 'node_modules/ws': ws }],
  ['another version', { 'node_modules/ws': { ...ws, version: '7.0.0' }, 'node_modules/zod': zod }],
  ['other content', { 'node_modules/ws': { ...ws, integrity: 'sha512-other' }, 'node_modules/zod': zod }],
])('%s is not enough', (_what, packages) => {
  expect(isInstalled(lock, { packages }, manifest)).toBe(false)
})

test('a dependency the lock file does not know yet is not enough', () => {
  const more = { ...manifest, dependencies: { ws: '8.0.0', ssh2: '1.0.0' } }
  expect(isInstalled(lock, { packages: { 'node_modules/ws': ws, 'node_modules/zod': zod } }, more)).toBe(false)
})

const refused = (...lines: string[]) =>
  ['npm error code EUSAGE', 'npm error `npm ci` can only install … are in sync. …', ...lines].join('\n')
const withOptional = {
  packages: { 'node_modules/tool': { version: '1.0.0', optionalDependencies: { '@tool/mac': '1.0.0' } } },
}

test('a lock file without packages for other platforms can still be installed from', () => {
  expect(lacksOnlyOptional(refused('npm error Missing: @tool/mac@ from lock file'), withOptional)).toBe(true)
  expect(lacksOnlyOptional(refused('npm error Missing: @tool/mac@1.0.0 from lock file'), withOptional)).toBe(true)
})

test.each([
  [
    'a real dependency is missing',
    refused('npm error Missing: @tool/mac@ from lock file', 'npm error Missing: ws@8.0.0 from lock file'),
  ],
  [
    'a version differs',
    refused(
      'npm error Missing: @tool/mac@ from lock file',
      "npm error Invalid: lock file's ws@7.0.0 does not satisfy ws@8.0.0",
    ),
  ],
  ['nothing is named', refused()],
  ['it failed otherwise', 'npm error code ENOTFOUND\nnpm error Missing: @tool/mac@ from lock file'],
])('but not when %s', (_what, output) => {
  expect(lacksOnlyOptional(output, withOptional)).toBe(false)
})

test('install scripts run by name, with or without a version, and only when allowed', () => {
  const allowScripts = {
    node: true,
    'esbuild@0.28.2': true,
    '@scope/tool@1': true,
    '@scope/bare': true,
    'better-sqlite3': false,
  }
  expect(allowedScripts({ allowScripts })).toEqual(['node', 'esbuild', '@scope/tool', '@scope/bare'])
  expect(allowedScripts({})).toEqual([])
})
