import { expect, test, vi } from 'vitest'
import type { InspectorSession } from '../session.ts'
import { AxModel } from './ax.ts'

/** A page whose root has one list of so many entries, with a text in each. */
function page(entries: number) {
  const asked: number[] = []
  const node = (nodeId: string, role: string, childIds: string[]) => ({
    nodeId,
    ignored: false,
    role: { value: role },
    childIds,
  })
  const ids = Array.from({ length: entries }, (_, place) => `e${place}`)
  const levels = [
    [node('root', 'RootWebArea', ['list'])],
    [node('list', 'list', ids)],
    ids.map((id) => node(id, 'listitem', [`${id}t`])),
    ids.map((id) => node(`${id}t`, 'StaticText', [])),
  ]
  const session = {
    onReset: () => {},
    send: async (method: string, { depth = 0 }: { depth?: number } = {}) => {
      if (method !== 'Accessibility.getFullAXTree') return {}
      asked.push(depth)
      return { nodes: levels.slice(0, depth + 1).flat() }
    },
  } as unknown as InspectorSession
  return { model: new AxModel(session), asked }
}

test('a small tree is read some levels deep; a wide one only as far as it is soon told', async () => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const small = page(3)
  await small.model.load()
  expect(small.asked).toEqual([1, 2, 3])
  expect(small.model.rows()).toHaveLength(8)
  const wide = page(5000)
  await wide.model.load()
  expect(wide.asked).toEqual([1])
  expect(wide.model.rows().map(({ expandable }) => expandable)).toEqual([true, true])
  const tooWide = page(50_000)
  await tooWide.model.load()
  expect(tooWide.model.rows().map(({ expandable }) => expandable)).toEqual([true, false])
  vi.unstubAllGlobals()
})
