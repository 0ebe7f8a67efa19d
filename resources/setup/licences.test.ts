import { expect, test } from 'vitest'
import { entries, importedPackages, licencesOf } from './licences.mjs'

const found = importedPackages(entries)
const licences = licencesOf(found)
const names = licences.map(({ name }) => name)

test('what each room imports is found, fonts and native parts with it', () => {
  for (const name of ['react', 'zod', 'ssh2', '@novnc/novnc', 'better-sqlite3', '@napi-rs/keyring', 'dockerode', 'ws'])
    expect(names).toContain(name)
  for (const font of ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono'])
    expect(names).toContain(font)
})

test('what those need in turn is found, and what only tests and tools use is not', () => {
  expect(names).toContain('scheduler')
  expect(names).toContain('@smithy/core')
  for (const name of ['vitest', 'fast-check', 'typescript', '@axe-core/playwright', '@biomejs/biome'])
    expect(names).not.toContain(name)
})

test('each has a licence and a text', () => {
  for (const { name, version, licence, text } of licences) {
    expect(licence, name).not.toBe('not named')
    expect(version, name).toMatch(/^\d/)
    expect(text.length, name).toBeGreaterThan(20)
  }
  expect(licences.find(({ name }) => name === '@fontsource-variable/inter')?.text).toMatch(/SIL OPEN FONT LICENSE/i)
})
