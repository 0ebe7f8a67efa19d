import { expect, test } from 'vitest'
import { planTests, projectOf } from './test-args.mjs'

const files = [
  'agent/logs/logs.test.ts',
  'agent/docker/docker.itest.ts',
  'e2e/takeover.e2e.ts',
  'renderer/ui/Row.test.tsx',
]

test('without arguments everything runs', () => {
  expect(planTests([], files)).toEqual({
    help: false,
    everything: true,
    projects: ['unit', 'integration', 'e2e'],
    vitestArgs: [],
  })
})

test('a path chooses its files, and only the projects that have them', () => {
  expect(planTests(['agent/logs'], files)).toMatchObject({
    everything: false,
    projects: ['unit'],
    vitestArgs: ['agent/logs'],
  })
  expect(planTests(['./agent/'], files).projects).toEqual(['unit', 'integration'])
})

test('a word in no path is the name of a test, taken literally', () => {
  expect(planTests(['hands back (twice)'], files)).toMatchObject({
    projects: ['unit', 'integration', 'e2e'],
    vitestArgs: ['-t', 'hands back \\(twice\\)'],
  })
})

test('a project can be chosen, alone or with a name', () => {
  expect(planTests(['--project', 'e2e'], files)).toMatchObject({ everything: false, projects: ['e2e'], vitestArgs: [] })
  expect(planTests(['--project=unit', '-t', 'row'], files)).toMatchObject({
    projects: ['unit'],
    vitestArgs: ['-t', 'row'],
  })
})

test.each([[['--project', 'unti']], [['--watch']], [['--project']], [['agent/logs', 'agent/lgos']]])(
  'refuses %j',
  (args) => {
    expect(() => planTests(args, files)).toThrow(expect.objectContaining({ exitCode: 2 }))
  },
)

test('knows which project a file belongs to', () => {
  expect([...files, 'agent/main.ts', 'e2e/rig.ts'].map(projectOf)).toEqual([
    ...['unit', 'integration', 'e2e', 'unit'],
    ...[undefined, undefined],
  ])
})
