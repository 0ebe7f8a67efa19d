import { expect, test } from 'vitest'
import {
  asCall,
  diffOf,
  type EnvSeen,
  importText,
  isEmpty,
  noDraft,
  rebase,
  removeKey,
  setValue,
  undo,
} from './draft.ts'

const env: EnvSeen = {
  vars: { PLAIN: 'one', API_KEY: '***', OLD: 'x' },
  redactedKeys: ['API_KEY'],
  fingerprints: { PLAIN: 'f1', API_KEY: 'f2', OLD: 'f3' },
}

test('what is there already is no change, except where nobody here can see it', () => {
  expect(isEmpty(setValue(noDraft, env, 'PLAIN', 'one'))).toBe(true)
  expect(isEmpty(setValue(noDraft, env, 'API_KEY', '***'))).toBe(false)
  const changed = setValue(noDraft, env, 'PLAIN', 'two')
  expect(isEmpty(setValue(changed, env, 'PLAIN', 'one'))).toBe(true)
  expect(isEmpty(undo(changed, 'PLAIN'))).toBe(true)
})

test('a pasted file becomes changes; comments are nothing, and what cannot be read is said', () => {
  const text = '# comment\nexport PLAIN=two\nNEW="a b"\nNEW=c\n\nnot a line\nAPI_KEY=\'s\'\n'
  const { draft, keys, unreadable, doubles } = importText(noDraft, env, text)
  expect(keys).toEqual(['PLAIN', 'NEW', 'API_KEY'])
  expect([unreadable, doubles]).toEqual([['not a line'], ['NEW']])
  expect(diffOf(draft, env)).toMatchObject([
    { key: 'PLAIN', kind: 'changed', before: 'one', after: 'two', sensitive: false },
    { key: 'NEW', kind: 'added', before: null, after: 'c' },
    { key: 'API_KEY', kind: 'changed', before: null, after: 's', sensitive: true },
  ])
})

test('a variable may be called as something that every object has; one that none can have is not read', () => {
  const { draft, keys, unreadable } = importText(noDraft, env, 'constructor=x\ntoString=y\n__proto__=z\n')
  expect([keys, unreadable]).toEqual([['constructor', 'toString'], ['__proto__']])
  expect(diffOf(draft, env)).toMatchObject([
    { key: 'constructor', kind: 'added', before: null, after: 'x', overtaken: false },
    { key: 'toString', kind: 'added', before: null, after: 'y', overtaken: false },
  ])
  expect(asCall(draft).expect).toEqual({ constructor: null, toString: null })
  expect(isEmpty(removeKey(draft, env, 'constructor'))).toBe(false)
  expect(diffOf(removeKey(draft, env, 'constructor'), env).map(({ key }) => key)).toEqual(['toString'])
})

test('the machine is told what was seen, so that it can refuse', () => {
  const draft = removeKey(setValue(setValue(noDraft, env, 'PLAIN', 'two'), env, 'NEW', 'n'), env, 'OLD')
  expect(asCall(draft)).toEqual({
    vars: { PLAIN: 'two', NEW: 'n' },
    remove: ['OLD'],
    expect: { PLAIN: 'f1', NEW: null, OLD: 'f3' },
  })
  expect(isEmpty(removeKey(setValue(noDraft, env, 'NEW', 'n'), env, 'NEW'))).toBe(true)
})

test('after someone else has changed it, nothing typed is lost, and the diff is against what is there now', () => {
  const draft = removeKey(setValue(noDraft, env, 'PLAIN', 'two'), env, 'OLD')
  const later: EnvSeen = {
    vars: { PLAIN: 'theirs', API_KEY: '***' },
    redactedKeys: ['API_KEY'],
    fingerprints: { PLAIN: 'f9', API_KEY: 'f2' },
  }
  expect(diffOf(draft, later)).toEqual([
    { key: 'PLAIN', kind: 'changed', before: 'theirs', after: 'two', sensitive: false, overtaken: true },
  ])
  const again = rebase(draft, later)
  expect(diffOf(again, later).map(({ overtaken }) => overtaken)).toEqual([false])
  expect(asCall(again)).toEqual({ vars: { PLAIN: 'two' }, remove: [], expect: { PLAIN: 'f9' } })
})
