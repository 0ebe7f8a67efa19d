import { expect, test } from 'vitest'
import { typedAddress } from '../navigation/typedAddress.ts'
import { formatBits } from './figures.ts'
import { bandwidthMeter, qualityFor } from './quality.ts'
import { commandKey, isComposing, isForeign, isOfLayer } from './typing.ts'
import { parseChoices } from './viewChoices.ts'
import { describeWatching } from './watching.ts'

/** So many pieces of this size, this far apart. */
function measured(bytes: number, everyMs: number, pieces = 20): number | null {
  const meter = bandwidthMeter()
  for (let piece = 0; piece < pieces; piece++) meter.add(bytes, piece * everyMs)
  return meter.bitsPerSecond
}

test('a slow connection is told from a page on which little happens', () => {
  // One megabit: 64 KB take half a second.
  expect(qualityFor(measured(64 * 1024, 512))).toBe('low')
  expect(qualityFor(measured(16 * 1024, 260))).toBe('least')
  expect(qualityFor(measured(64 * 1024, 100))).toBe('good')
  // Small pieces, however rare, say nothing.
  expect(measured(900, 16)).toBeNull()
  expect(measured(64 * 1024, 5000)).toBeNull()
  expect(qualityFor(null)).toBe('best')
  // A film of 20 KB pictures at sixty a second.
  expect(qualityFor(measured(20 * 1024, 16))).toBe('best')
})

test('a connection that gets worse is noticed, and one that gets better', () => {
  const meter = bandwidthMeter()
  let at = 0
  const feed = (everyMs: number) => {
    for (let piece = 0; piece < 15; piece++) {
      at += everyMs
      meter.add(32 * 1024, at)
    }
  }
  feed(5)
  expect(qualityFor(meter.bitsPerSecond)).toBe('best')
  feed(600)
  expect(qualityFor(meter.bitsPerSecond)).toBe('least')
  feed(5)
  expect(qualityFor(meter.bitsPerSecond)).toBe('best')
})

test('rates are said in the unit that fits', () => {
  expect([0, 950_000, 2_540_000, 48_000_000].map(formatBits)).toEqual([
    '0 bit/s',
    '950 kbit/s',
    '2.5 Mbit/s',
    '48 Mbit/s',
  ])
})

test('what a person types becomes an address, or nothing; never a search', () => {
  expect(typedAddress(' example.org/a?b ')).toBe('https://example.org/a?b')
  expect(typedAddress('localhost:3000/x')).toBe('http://localhost:3000/x')
  expect(typedAddress('10.0.0.4')).toBe('http://10.0.0.4')
  expect(typedAddress('intranet:8080')).toBe('http://intranet:8080')
  expect(typedAddress('HTTPS://example.org')).toBe('HTTPS://example.org')
  expect(typedAddress('about:blank')).toBe('about:blank')
  for (const none of ['', 'two words', 'word', 'javascript:alert(1)', 'file:///etc/passwd', 'ftp://x.y']) {
    expect(typedAddress(none), none).toBeNull()
  }
})

test('letters of another layout go as text; shortcuts and plain keys do not', () => {
  const key = (name: string, more = {}) => ({ key: name, ctrlKey: false, altKey: false, metaKey: false, ...more })
  expect(['ü', '日', '€', '😀'].every((name) => isForeign(key(name)))).toBe(true)
  expect(['a', 'Enter', 'ArrowLeft', '~', 'Dead'].some((name) => isForeign(key(name)))).toBe(false)
  expect(isForeign(key('ü', { ctrlKey: true }))).toBe(false)
  expect(isComposing({ isComposing: false, key: 'Process', keyCode: 229 })).toBe(true)
  expect(isComposing({ isComposing: false, key: 'a', keyCode: 65 })).toBe(false)
})

test('what Option makes on a Mac and AltGr elsewhere is a character; Alt and Ctrl Alt alone make commands', () => {
  const key = (name: string, more = {}, altGraph = false) => ({
    ...{ key: name, ctrlKey: false, altKey: false, metaKey: false, getModifierState: () => altGraph, ...more },
  })
  const option = { altKey: true }
  const both = { altKey: true, ctrlKey: true }
  for (const name of '@[]{}|€') {
    expect(isOfLayer(key(name, option), true)).toBe(true)
    expect(isOfLayer(key(name, both, true), false)).toBe(true)
  }
  expect(isOfLayer(key('f', option), false)).toBe(false)
  expect(isOfLayer(key('f', both), false)).toBe(false)
  expect(isOfLayer(key('f', both), true)).toBe(false)
  expect(isOfLayer(key('f', { altKey: true, metaKey: true }), true)).toBe(false)
  expect(isOfLayer(key('f'), true)).toBe(false)
  expect(isOfLayer(key('ArrowLeft', option), true)).toBe(false)
})

test('choices that cannot be read are the usual ones', () => {
  const usual = { scaling: 'fit', quality: 'auto', figures: false }
  expect(parseChoices(null)).toEqual(usual)
  expect(parseChoices('{')).toEqual(usual)
  expect(parseChoices('{"scaling":"huge","quality":"low","figures":1}')).toEqual({ ...usual, quality: 'low' })
})

test('who else watches: not oneself, by name where there is one', () => {
  const one = (operator: string | null) => ({ operator, since: '', control: false })
  expect(describeWatching([one('Ada')], 1, true, 'Ada')).toBe('Only you are watching')
  expect(describeWatching([one('Ada'), one('Grace')], 2, true, 'Ada')).toBe('1 other watching: Grace')
  expect(describeWatching([one('Ada'), one('Ada')], 2, true, 'Ada')).toBe('1 other watching: Ada')
  expect(describeWatching([one(null)], 1, false, 'Ada')).toBe('1 other watching: someone without a name')
  expect(describeWatching(null, 3, true, 'Ada')).toBe('2 others watching')
  expect(describeWatching(null, 0, false, 'Ada')).toBe('Nobody else is watching')
})

test('with Ctrl or Cmd a key of another script is the letter that is printed beside it', () => {
  const key = (
    name: string,
    code: string,
    held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey', true>>,
    layer = false,
  ) => ({
    ...{ key: name, code, ctrlKey: false, metaKey: false, shiftKey: false, ...held },
    getModifierState: (state: string) => layer && state === 'AltGraph',
  })
  const ctrl = { ctrlKey: true } as const
  expect(commandKey(key('с', 'KeyC', ctrl))).toBe('c')
  expect(commandKey(key('ψ', 'KeyC', { metaKey: true }))).toBe('c')
  expect(commandKey(key('С', 'KeyC', { ...ctrl, shiftKey: true }))).toBe('C')
  expect(commandKey(key('é', 'Digit2', ctrl))).toBe('2')
  // Kept down by the keys' own menu.
  expect(commandKey(key('с', 'KeyC', {}), true)).toBe('c')
  // Dvorak has its letters elsewhere, and means them.
  expect(commandKey(key('j', 'KeyC', ctrl))).toBeUndefined()
  expect(commandKey(key('с', 'KeyC', {}))).toBeUndefined()
  expect(commandKey(key('€', 'KeyE', ctrl, true))).toBeUndefined()
  expect(commandKey(key('ArrowLeft', 'ArrowLeft', ctrl))).toBeUndefined()
  expect(commandKey(key('ü', 'BracketLeft', ctrl))).toBeUndefined()
})
