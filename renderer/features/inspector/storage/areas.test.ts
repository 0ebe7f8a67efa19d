import { expect, test } from 'vitest'
import { entriesOf, frameIds, namesOf, ownersOf, questionFor } from './areas.ts'

test('every frame of a page, and nothing that is not one', () => {
  const tree = {
    frame: { id: 'a' },
    childFrames: [{ frame: { id: 'b' } }, { frame: {} }, null, { frame: { id: 'c' } }],
  }
  expect(frameIds({ frameTree: tree })).toEqual(['a', 'b', 'c'])
  expect(frameIds({})).toEqual([])
})

test('each owner once; what has no storage is left out', () => {
  const [own, other] = ['https://a.example/', 'https://b.example/^0https://a.example']
  const found = [
    { key: own, frame: undefined },
    { key: other, frame: 'apart' },
    { key: own, frame: 'apart' },
    { key: 'about:blank', frame: undefined },
  ]
  expect(ownersOf(found)).toEqual([
    { key: own, origin: 'https://a.example', partitioned: false, frame: undefined },
    { key: other, origin: 'https://b.example', partitioned: true, frame: 'apart' },
  ])
})

test('answers are read whatever they are', () => {
  expect(entriesOf({ entries: [['k', 'v'], 'x', ['n']] })).toEqual([
    ['k', 'v'],
    ['n', 'undefined'],
  ])
  expect(entriesOf({})).toEqual([])
  expect(namesOf({ databaseNames: ['one'] }, 'databases')).toEqual(['one'])
  expect(namesOf({ caches: [{ cacheName: 'v1' }, null] }, 'caches')).toEqual(['v1', ''])
})

test('asks for the right kind', () => {
  const [owner] = ownersOf([{ key: 'https://a.example/', frame: undefined }])
  if (owner === undefined) throw new Error('no owner')
  expect(questionFor(owner, 'session')).toEqual([
    'DOMStorage.getDOMStorageItems',
    { storageId: { storageKey: 'https://a.example/', isLocalStorage: false } },
  ])
  expect(questionFor(owner, 'caches')[0]).toBe('CacheStorage.requestCacheNames')
})
