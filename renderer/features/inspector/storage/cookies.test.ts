import { expect, test } from 'vitest'
import { type Cookie, cookieId, deleteParams, draftOf, expiryText, matches, mistakesIn, setParams } from './cookies.ts'

const cookie: Cookie = {
  ...{ name: 'session', value: 'abc', domain: '.example.org', path: '/', expires: -1 },
  ...{ httpOnly: true, secure: true, sameSite: 'Lax' },
}

test('a cookie comes through the form as it was', () => {
  expect(setParams(draftOf(cookie, null))).toEqual({
    ...{ name: 'session', value: 'abc', domain: '.example.org', path: '/' },
    ...{ httpOnly: true, secure: true, sameSite: 'Lax' },
  })
  const expires = Date.UTC(2030, 0, 2, 3, 4, 59) / 1000
  expect(setParams(draftOf({ ...cookie, expires }, null)).expires).toBe(expires)
})

test('one that is kept apart stays so, and is told from its namesakes', () => {
  const apart: Cookie = { ...cookie, partition: 'https://shop.example cross-site' }
  expect(setParams(draftOf(apart, null)).partition).toBe('https://shop.example cross-site')
  expect(cookieId(apart)).not.toBe(cookieId({ ...apart, partition: null }))
  const fields = { name: 'session', domain: '.example.org' }
  expect(deleteParams(apart)).toEqual({ ...fields, path: '/', partition: 'https://shop.example cross-site' })
  expect(deleteParams({ ...apart, partition: null })).toEqual({ ...fields, path: '/', partition: '' })
  // An agent of before does not know the two.
  expect(deleteParams(cookie)).toEqual(fields)
})

test('one of a single host stays with that host', () => {
  const params = setParams(draftOf({ ...cookie, domain: 'shop.example.org', path: '/basket' }, null))
  expect(params).toMatchObject({ url: 'https://shop.example.org/basket' })
  expect(params).not.toHaveProperty('domain')
})

test('a new one is for the page that is looked at', () => {
  expect(draftOf(null, 'http://127.0.0.1:4000/x')).toMatchObject({ domain: '127.0.0.1', secure: false })
  expect(draftOf(null, 'https://shop.example.org/')).toMatchObject({ domain: 'shop.example.org', secure: true })
  expect(draftOf(null, null).domain).toBe('')
})

test.each([
  ['name', { name: '' }],
  ['name', { name: ' a' }],
  ['name', { name: 'a\tb' }],
  ['name', { name: 'a;b' }],
  ['name', { name: 'a=b' }],
  ['value', { value: 'a;b' }],
  ['value', { value: 'a\nb' }],
  ['value', { value: 'x'.repeat(4096) }],
  ['domain', { domain: 'https://example.org' }],
  ['domain', { domain: '' }],
  ['path', { path: 'x' }],
  ['expires', { expires: 'soon' }],
  ['sameSite', { sameSite: 'None' as const, secure: false }],
])('a mistake in %s is said there: %j', (field, changed) => {
  expect(Object.keys(mistakesIn({ ...draftOf(cookie, null), ...changed }))).toEqual([field])
})

test('nothing is wrong with what a browser has', () => {
  for (const domain of ['.example.org', 'localhost', '127.0.0.1', '[::1]'])
    expect(mistakesIn(draftOf({ ...cookie, domain }, null)), domain).toEqual({})
})

test('its end is said in words', () => {
  const now = Date.UTC(2026, 0, 1)
  const at = (days: number) => expiryText({ expires: now / 1000 + days * 86_400 }, now)
  expect(expiryText({ expires: -1 }, now)).toBe('With the browser')
  expect([at(-1), at(0.01), at(0.5), at(3), at(100)]).toEqual(['Expired', 'In 1 h', 'In 12 h', 'In 3 d', '2026-04-11'])
})

test('found by name, host or path, never by value', () => {
  expect(matches(cookie, 'SESS')).toBe(true)
  expect(matches(cookie, 'example')).toBe(true)
  expect(matches(cookie, 'abc')).toBe(false)
})

test('a name that Chromium takes can be kept, however odd', () => {
  for (const name of ['a b', 'a,b', 'ключ', '"x"', '__Host-id'])
    expect(mistakesIn({ ...draftOf(cookie, null), name })).toEqual({})
})
