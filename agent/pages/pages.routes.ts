import { actingRoutes } from './acting.routes.ts'
import { goingRoutes } from './going.routes.ts'
import type { PageCalls } from './page-calls.ts'
import { readingRoutes } from './reading.routes.ts'
import { watchingRoutes } from './watching.routes.ts'

/** Every call on the page in front and on the tabs. */
export function pagesRoutes(calls: PageCalls, uploadDir: string) {
  return { ...goingRoutes(calls), ...readingRoutes(calls), ...actingRoutes(calls, uploadDir), ...watchingRoutes(calls) }
}
