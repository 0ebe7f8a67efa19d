import { expect, test } from 'vitest'
import { matching } from './url-pattern.ts'

const items = [{ url: 'https://a.example/api/v1/users' }, { url: 'https://a.example/style.css' }]

test('finds by a part of the address', async () => {
  expect(await matching(items, '/api/v\\d+/')).toEqual([items[0]])
  expect(await matching(items, '\\.css$')).toEqual([items[1]])
  expect(await matching(items, '(?i)A\\.EXAMPLE')).toEqual(items)
  expect(await matching(items, '')).toEqual(items)
})

test.each(['(', '[', 'a{2,1}', '(?=x)', '(a)\\1', '((a{100}){100}){100}', '*'])(
  '%s cannot be used',
  async (pattern) => {
    await expect(matching(items, pattern)).rejects.toMatchObject({ code: 'invalid-pattern', status: 400 })
  },
)

test.each(['(a+)+$', '(a|a)*b', '(.*)*x', '(a|aa)+$'])('%s does not hold up the agent', async (pattern) => {
  const hostile = Array.from({ length: 20 }, () => ({ url: `https://h/${'a'.repeat(2000)}!` }))
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  // Backtracking would take longer than the age of the universe: that it ends at all is the test.
  await expect(matching(hostile, pattern)).resolves.toEqual([])
  clearInterval(counting)
})
