import { expect, test } from 'vitest'
import { linkFigure } from './look.ts'
import { machine } from './machine.fixture.ts'

test('beside the agent stands all that its link says: the version, and a clock that is off', () => {
  expect(linkFigure('agent', machine())).toBe('0.1.0')
  const agent = { state: 'up', detail: '0.1.0 · clock 3 h ahead' } as const
  expect(linkFigure('agent', machine({ links: { ...machine().links, agent } }))).toBe('0.1.0 · clock 3 h ahead')
})
