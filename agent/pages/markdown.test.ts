import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { toMarkdown } from './markdown.ts'

const never = new AbortController().signal

test('pieces of HTML are paragraphs of one text', async () => {
  expect(await toMarkdown(['<h1>Title</h1>', '<p>a <b>b</b></p>', '<ul><li>c</li></ul>'], never)).toBe(
    '# Title\n\na **b**\n\n-   c',
  )
  expect(await toMarkdown([], never)).toBe('')
})

describe('what takes many seconds', () => {
  const spaces = `${' '.repeat(60_000)}\u00a0`
  test.each([
    ['spaces at the end of a word', `<pre><span>a${spaces}</span></pre>`],
    ['spaces between words', `<pre><b>a${spaces}b</b></pre>`],
    ['spaces in a link', `<pre><a href="x">a${spaces}</a></pre>`],
    ['a table of many rows', `<table>${'<tr><td>a</td><td>b</td></tr>'.repeat(15_000)}</table>`],
  ])('%s: the agent goes on meanwhile, and it ends when told', async (_what, html) => {
    const abort = new AbortController()
    let isOver = false
    const converted = toMarkdown([html], abort.signal).finally(() => {
      isOver = true
    })
    converted.catch(() => {})
    await sleep(300)
    expect(isOver).toBe(false)
    abort.abort()
    await expect(converted).rejects.toMatchObject({ name: 'AbortError' })
  })
})

test('one that nests deeper than the converter can follow is refused', async () => {
  const deep = '<span>'.repeat(100_000)
  await expect(toMarkdown([`<div>${deep}x</div>`], never)).rejects.toMatchObject({ code: 'conflict' })
})

test('more at once than there are threads for wait their turn', async () => {
  const all = Array.from({ length: 6 }, (_, index) => toMarkdown([`<p>${index}</p>`], never))
  expect(await Promise.all(all)).toEqual(['0', '1', '2', '3', '4', '5'])
})
