import { beforeEach, expect, test, vi } from 'vitest'
import type { TimelineEntry, TimelineKind } from '../../../shared/contract/timeline.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { entry } from '../../../shared/domain/timeline/book.ts'
import { formatRoute, useRoute } from '../../app/route.ts'
import { aimAt } from '../../app/target.ts'
import { useInspectorPanel } from '../inspector/inspector.store.ts'
import { sourcesOf } from './sources.ts'

vi.mock('../../app/target.ts', () => ({ aimAt: vi.fn() }))

const machine = { id: 'm1' } as MachineView
const at = '2026-01-01T03:00:00.000Z'
const time = Date.parse(at)
const made = (kind: TimelineKind, what: string, more: Partial<TimelineEntry> = {}) =>
  entry({ key: 'k', what, at, title: 'It broke', ...more, kind })

beforeEach(() => {
  vi.stubGlobal('window', { location: { hash: '' } })
  vi.mocked(aimAt).mockClear()
  useInspectorPanel.setState({ panel: 'elements' })
})

/** Opens the likeliest source; where that leads, and what is to be shown there. */
function opened(one: TimelineEntry) {
  const [first] = sourcesOf(machine, one)
  first?.open()
  const { route } = useRoute.getState()
  const panel = route.screen === 'machine' && route.tab === 'inspector' ? ` ${useInspectorPanel.getState().panel}` : ''
  return [`${formatRoute(route)}${panel}`, ...vi.mocked(aimAt).mock.calls.map(([aim]) => aim)]
}

const inspector = '#/machine/m1/inspector'

test('a page’s error leads to its message in the console, whichever panel was used last', () => {
  const aim = { tab: 'console', machineId: 'm1', at: time, title: 'It broke' }
  expect(opened(made('page', 'console-error'))).toEqual([`${inspector} console`, aim])
})

test('a failed request leads to that request', () => {
  const aim = { tab: 'network', machineId: 'm1', at: time, title: 'It broke' }
  expect(opened(made('network', 'failed-request'))).toEqual([`${inspector} network`, aim])
})

test('a recording leads to its film', () => {
  const source = { type: 'recording', id: 'film-1' } as const
  const aim = { tab: 'recordings', machineId: 'm1', id: 'film-1' }
  expect(opened(made('recording', 'recording', { source }))).toEqual([`${inspector} recordings`, aim])
})

test.each([
  ['page', 'more-errors', 'console'],
  ['page', 'page-crash', 'console'],
  ['network', 'more-requests', 'network'],
  ['recording', 'recording-deleted', 'recordings'],
] as const)('%s, %s: there is none to show, and the panel is opened', (kind, what, panel) => {
  expect(opened(made(kind, what))).toEqual([`${inspector} ${panel}`])
})

test.each([
  ['deploys', 'deploy', { type: 'deploy', id: '7' }, 'deploys', { tab: 'deploys', machineId: 'm1', id: '7' }],
  ['commands', 'exec', { type: 'audit', id: '9' }, 'audit', { tab: 'audit', machineId: 'm1', id: '9', at }],
  ['workers', 'worker', null, 'workers', undefined],
  ['engine', 'switch', null, 'live', undefined],
  ['takeover', 'lease', null, 'live', undefined],
  ['machine', 'health', null, 'logs', { tab: 'logs', machineId: 'm1', time }],
] as const)('%s, %s leads to where it is known', (kind, what, source, tab, aim) => {
  expect(opened(made(kind, what, { source }))).toEqual([`#/machine/m1/${tab}`, ...(aim === undefined ? [] : [aim])])
})
