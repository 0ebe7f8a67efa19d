import { expect, test } from 'vitest'
import type { Session } from '../browser/session.ts'
import { capturePage, resumePage } from './page-state.ts'

const read = { url: 'http://a/', title: 'A', scroll: { x: 1, y: 400 }, focused: '#field' }

/** One tab, whose page answers as it is told to; everything that it is sent is written down. */
function session(answers: boolean, more: object = {}) {
  const sent: string[] = []
  const front = {
    ...{ id: 't', url: 'http://a/', title: 'A', dialog: null, frames: { main: { id: 'f' } }, ...more },
    cdp: {
      async send(method: string, params: { expression?: string; url?: string }) {
        sent.push(method === 'Page.navigate' ? `to ${params.url}` : method)
        if (!answers) throw new Error('the page hangs')
        if (params.expression?.includes('scrollTo')) sent.push('scrolls')
        return method === 'Page.createIsolatedWorld' ? { executionContextId: 1 } : { result: { value: read } }
      },
    },
  }
  return { sent, session: { pages: { front, list: () => [front] } } as unknown as Session }
}
const tabs = [{ id: 't', url: 'http://a/', title: 'A' }]

test('where things stand is read from the page; of one that hangs or shows a dialog the address is known, and no more', async () => {
  expect(await capturePage(session(true).session)).toEqual({ ...read, tabs, tabId: 't', complete: true })
  const known = { url: 'http://a/', title: 'A', scroll: { x: 0, y: 0 }, focused: null, tabs, tabId: 't' }
  expect(await capturePage(session(false).session)).toEqual({ ...known, complete: false })
  expect(await capturePage(session(true, { dialog: {} }).session)).toEqual({ ...known, complete: false })
  const empty = { pages: { front: null, list: () => [] } } as unknown as Session
  expect(await capturePage(empty)).toMatchObject({ url: 'about:blank', tabs: [], tabId: null, complete: false })
})

test('a page is put back by going there only if it is elsewhere, and by scrolling', async () => {
  const before = await capturePage(session(true).session)
  const same = session(true)
  await resumePage(same.session, before)
  expect(same.sent.filter((one) => one.startsWith('to '))).toEqual([])
  expect(same.sent).toContain('scrolls')
  const moved = session(true, { url: 'http://b/' })
  await resumePage(moved.session, before)
  expect(moved.sent).toContain('to http://a/')
  const unknown = session(true, { url: 'http://b/' })
  await resumePage(unknown.session, { ...before, complete: false })
  expect(unknown.sent).toEqual([])
  await expect(resumePage(moved.session, { ...before, tabId: 'gone' })).rejects.toThrow('the tab is gone')
})
