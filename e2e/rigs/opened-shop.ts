import { invoke } from './added-machine.ts'
import { type OpenedBrowser, openBrowser } from './opened-browser.ts'

const page = `<!doctype html><title>The shop</title><h1 id="offer">Ten lemons for the price of nine</h1>
  <a href="/next">Next</a><script>localStorage.setItem('basket', 'lemons'); sessionStorage.setItem('step', '2')
    indexedDB.open('orders'); if (self.caches) caches.open('offline-v1')</script>`

export interface OpenedShop extends OpenedBrowser {
  /** Takes control, or gives it back, and waits until the Inspector knows. */
  lease(on: 'take' | 'giveBack'): Promise<void>
}

/** The Inspector on a small page that keeps something in every place where pages can. */
export async function openShop(): Promise<OpenedShop> {
  const opened = await openBrowser({
    answer(_request, response) {
      response.setHeader('set-cookie', 'session=canary-cookie; HttpOnly')
      response.end(page)
    },
    ...{ first: '/', size: { width: 800, height: 600 }, tab: 'inspector' },
  })
  const { console, machine } = opened
  await console.window.locator('[data-testid=inspector][data-phase=open]').waitFor()
  return {
    ...opened,
    async lease(on) {
      if (on === 'take') await invoke(console, 'takeover.take', { machineId: machine.id, reason: '' })
      else await invoke(console, 'takeover.giveBack', { machineId: machine.id, outcome: 'resolved', note: '' })
      await console.window
        .locator(`[data-testid=inspector]${on === 'take' ? '[data-mine]' : ':not([data-mine])'}`)
        .waitFor()
    },
  }
}
