import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, test, vi } from 'vitest'

// A page that is written once, and not kept up to date, reads each store as it is now.
vi.mock('zustand', async (original) => {
  const real = await original<typeof import('zustand')>()
  const create = (init: () => unknown) => {
    const store = real.createStore(init)
    const use = (select: (state: unknown) => unknown = (state) => state) => select(store.getState())
    return Object.assign(use, store)
  }
  return { ...real, create }
})
vi.stubGlobal('window', globalThis)
vi.stubGlobal('location', { hash: '' })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }))
vi.stubGlobal('addEventListener', () => {})

const { machine } = await import('../machine/machine.fixture.ts')
const { useFleet } = await import('../fleet/fleet.store.ts')
const { useViewChoices } = await import('./viewChoices.ts')
const { BrowserViewer } = await import('./BrowserViewer.tsx')
const client = { machineId: 'm' } as never

beforeEach(() => {
  useFleet.setState({ status: { phase: 'ready' }, machines: { m: machine({ id: 'm', name: 'shop' }) } })
  useViewChoices.setState({ figures: true })
})

test('fills what there is, with both bars, unless told otherwise', () => {
  const whole = renderToStaticMarkup(<BrowserViewer client={client} />)
  expect(whole).toContain('aria-label="Live view of shop"')
  expect(whole).not.toMatch(/<section[^>]* style=/)
  expect(whole).toContain('data-testid="live-url"')
  expect(whole).toContain('data-testid="live-figures"')
})

test('its height is the one it is given', () => {
  const shown = renderToStaticMarkup(<BrowserViewer client={client} height="320px" />)
  expect(shown).toMatch(/<section[^>]* style="height:320px;flex:none"/)
})

test('either bar is left out, and the figures then stand where the other one is', () => {
  const withoutAddress = renderToStaticMarkup(<BrowserViewer client={client} showNavigationBar={false} />)
  expect(withoutAddress).not.toContain('data-testid="live-url"')
  expect(withoutAddress).toContain('data-testid="live-figures"')
  const withoutFigures = renderToStaticMarkup(<BrowserViewer client={client} showStatusBar={false} />)
  expect(withoutFigures).toContain('data-testid="live-url"')
  expect(withoutFigures).not.toContain('data-testid="live-figures"')
})

test('a machine that is not in the fleet shows nothing', () => {
  useFleet.setState({ machines: {} })
  expect(renderToStaticMarkup(<BrowserViewer client={client} />)).toBe('')
})
