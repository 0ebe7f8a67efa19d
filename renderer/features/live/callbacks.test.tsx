import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { WireProblem } from '../../../shared/errors.ts'
import { type LiveSnapshot, nothingShown } from './snapshot.ts'

// A page that is written once has no effects: here each runs with every writing, when what it looks at has changed.
const seen = vi.hoisted(() => ({ place: 0, last: [] as { deps: unknown; undo: unknown }[] }))
vi.mock('react', async (original) => {
  const useEffect = (effect: () => unknown, deps: unknown) => {
    const place = seen.place++
    const before = seen.last[place]
    if (before !== undefined && JSON.stringify(before.deps) === JSON.stringify(deps)) return
    if (typeof before?.undo === 'function') before.undo()
    seen.last[place] = { deps, undo: effect() }
  }
  return { ...(await original<typeof import('react')>()), useEffect }
})
vi.mock('zustand', async (original) => {
  const real = await original<typeof import('zustand')>()
  const create = (init: () => unknown) => {
    const store = real.createStore(init)
    const use = (select: (state: unknown) => unknown = (state) => state) => select(store.getState())
    return Object.assign(use, store)
  }
  return { ...real, create }
})
const live = vi.hoisted(() => ({ snapshot: {} as LiveSnapshot }))
vi.mock('./useLiveSession.ts', () => ({ useLiveSession: () => ({ ...live, session: { current: null } }) }))
vi.mock('./LeaseBar.tsx', () => ({ LeaseBar: () => null, shortLeaseMs: 0, PictureAge: () => null }))
vi.mock('../desktop/desktop.store.ts', () => ({ useDesktop: () => null, desktopOf: () => null }))
vi.stubGlobal('window', globalThis)
vi.stubGlobal('location', { hash: '' })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }))
vi.stubGlobal('addEventListener', () => {})

const { machine } = await import('../machine/machine.fixture.ts')
const { useFleet } = await import('../fleet/fleet.store.ts')
const { BrowserViewer } = await import('./BrowserViewer.tsx')

test('whoever embeds the viewer hears of pages, pictures and problems, each once', () => {
  const told: string[] = []
  const show = (snapshot: Partial<LiveSnapshot>, url: string) => {
    live.snapshot = { ...nothingShown, ...snapshot }
    useFleet.setState({ status: { phase: 'ready' }, machines: { m: machine({ id: 'm' }, { url }) } })
    seen.place = 0
    renderToStaticMarkup(
      <BrowserViewer
        client={{ machineId: 'm', page: async () => ({ recordings: [] }) } as never}
        showNavigationBar={false}
        showStatusBar={false}
        onNavigate={(address) => told.push(`at ${address}`)}
        onConnect={() => told.push('connected')}
        onDisconnect={() => told.push('disconnected')}
        onError={({ detail }) => told.push(`error: ${detail}`)}
      />,
    )
    return told.splice(0)
  }
  const problem = { detail: 'The connection ended.' } as WireProblem
  expect(show({ phase: 'connecting' }, 'https://a.test/')).toEqual(['at https://a.test/'])
  expect(show({ phase: 'live' }, 'https://a.test/')).toEqual(['connected'])
  expect(show({ phase: 'live' }, 'https://a.test/two')).toEqual(['at https://a.test/two'])
  expect(show({ phase: 'reconnecting', problem }, 'https://a.test/two')).toEqual([
    'disconnected',
    'error: The connection ended.',
  ])
  expect(show({ phase: 'reconnecting', problem }, 'https://a.test/two')).toEqual([])
  expect(show({ phase: 'live' }, 'https://a.test/two')).toEqual(['connected'])
})
