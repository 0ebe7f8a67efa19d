import { expect, test } from 'vitest'
import { installableNames, missingNeeds, needsFor } from './debian-packages.mjs'

const gtk = { names: ['libgtk-3-0t64', 'libgtk-3-0'] }
const nss = { names: ['libnss3'] }
const chromium = { names: ['chromium'], orProgram: true }
const missing = (output: string, hasBrowser = false) =>
  missingNeeds([gtk, nss, chromium], output, hasBrowser).map(({ names }) => names.at(-1))

test('either name of a renamed package will do', () => {
  const others = 'libnss3\tii \nchromium\tii \n'
  expect(missing(`libgtk-3-0\tii \n${others}`)).toEqual([])
  expect(missing(`libgtk-3-0t64\tii \nlibgtk-3-0\tun \n${others}`)).toEqual([])
})

test('known, removed or half-installed is not installed; on hold is', () => {
  expect(missing('libgtk-3-0\tun \nlibnss3\trc \nchromium\tiU \n')).toEqual(['libgtk-3-0', 'libnss3', 'chromium'])
  expect(missing('libgtk-3-0\thi \nlibnss3\tii \nchromium\tii \n')).toEqual([])
})

test('nothing printed means nothing installed', () => {
  expect(missing('')).toEqual(['libgtk-3-0', 'libnss3', 'chromium'])
})

test("another browser stands in for Debian's, and for nothing else", () => {
  expect(missing('', true)).toEqual(['libgtk-3-0', 'libnss3'])
})

test('the tests need all that starting needs, and more', () => {
  const start = needsFor('start')
  const all = needsFor('test')
  expect(all.slice(0, start.length)).toEqual(start)
  expect(all.map(({ names }) => names[0])).toContain('docker.io')
  expect(start.map(({ names }) => names[0])).not.toContain('docker.io')
})

test('takes the name this release can install', () => {
  const policy = [
    'libgtk-3-0t64:',
    '  Installed: (none)',
    '  Candidate: (none)',
    'libgtk-3-0:',
    '  Installed: (none)',
    '  Candidate: 3.24.38-2~deb12u3',
    'libnss3:',
    '  Candidate: 2:3.87.1-1',
  ].join('\n')
  expect(installableNames([gtk, nss], policy)).toEqual(['libgtk-3-0', 'libnss3'])
  expect(installableNames([gtk], policy.replace('(none)\nlibgtk-3-0:', '3.24.49-3\nlibgtk-3-0:'))).toEqual([
    'libgtk-3-0t64',
  ])
  expect(installableNames([nss], '')).toEqual(['libnss3'])
})
