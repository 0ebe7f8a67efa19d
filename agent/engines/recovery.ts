import type { PageState } from '../../shared/contract/engines.ts'
import { detectPlatform } from '../../shared/domain/platforms.ts'
import { type Driver, driverName } from '../../shared/domain/switch-criteria.ts'
import type { Publish } from '../events/publish.ts'
import type { BrowserPort } from './browser-port.ts'

/** Looks at the page again after a switch, since the new engine remembers nothing, and says what it found. */
export function recoverAfter(browser: BrowserPort, publish: Publish) {
  return async (driver: Driver, before: PageState, runId: string | null): Promise<void> => {
    const facts = await browser.facts().catch(() => undefined)
    const urlAfter = facts?.url ?? browser.url()
    const fields = facts?.form.fields ?? []
    publish('engine_switch_recovery', {
      runId,
      engine: driverName(driver),
      ...{ urlBefore: before.url, urlAfter, sameUrl: before.url === urlAfter },
      platform: facts === undefined ? 'unknown' : detectPlatform(facts),
      ...{ fields: fields.length, filled: fields.filter(({ filled }) => filled).length },
      formPage: facts?.form.page ?? null,
    })
  }
}
