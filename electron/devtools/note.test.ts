import { expect, test } from 'vitest'
import { noteFor, titleFor } from './note.ts'

test('the line says what the window may do, and the end of control', () => {
  const open = (role: 'controller' | 'observer', afterLease = false, ending = false) =>
    noteFor({ kind: 'open', role, afterLease }, 'shop-1', ending)
  expect(open('controller')).toMatchObject({
    tone: 'person',
    text: expect.stringContaining('You have control of shop-1'),
  })
  expect(open('controller', false, true)).toMatchObject({
    tone: 'person',
    text: expect.stringContaining('Control of shop-1 ends within a minute'),
  })
  expect(open('observer')).toMatchObject({ tone: 'watching', text: expect.stringMatching(/^Watching only/) })
  expect(open('observer', true).text).toMatch(/^Your control has ended\. Watching only/)
})

test('a page that is gone and a connection that is lost are told apart', () => {
  expect(noteFor({ kind: 'gone' }, 'shop-1', false).text).toMatch(/was closed/)
  expect(noteFor({ kind: 'lost', why: 'the tunnel is down.' }, 'shop-1', false)).toMatchObject({
    tone: 'lost',
    text: expect.stringContaining('the tunnel is down. Trying again'),
  })
})

test('a title is one line of plain text, whatever the page calls itself', () => {
  const title = titleFor({ title: `a\u202eb\n${'x'.repeat(500)}`, url: 'https://a.example/' }, 'shop-1')
  expect(title).toMatch(/^DevTools: a b x+… \(shop-1\)$/)
  expect(titleFor({ title: '', url: 'https://a.example/' }, 'shop-1')).toBe('DevTools: https://a.example/ (shop-1)')
})
