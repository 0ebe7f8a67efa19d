import { actingRoutes } from './acting.routes.ts'
import { goingRoutes } from './going.routes.ts'
import { type PageLimits, usualLimits } from './limits.ts'
import type { PageCalls } from './page-calls.ts'
import { readingRoutes } from './reading.routes.ts'
import { watchingRoutes } from './watching.routes.ts'

/** Every call on the page in front and on the tabs. */
export function pagesRoutes(calls: PageCalls, uploadDir: string, limits: PageLimits = usualLimits) {
  return {
    ...goingRoutes(calls, limits),
    ...readingRoutes(calls, limits),
    ...actingRoutes(calls, uploadDir),
    ...watchingRoutes(calls),
  }
}
