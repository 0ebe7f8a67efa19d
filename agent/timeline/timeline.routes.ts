import { type Handlers, Reply } from '../server/handlers.ts'
import type { TimelineService } from './timeline.service.ts'

export function timelineRoutes(timeline: TimelineService): Pick<Handlers, 'timeline.list' | 'timeline.picture'> {
  return {
    'timeline.list': (params) => timeline.list(params),
    'timeline.picture': ({ id }) =>
      // A picture never changes under its id, but it is of a page: no cache on the way may keep it.
      new Reply('image/jpeg', timeline.pictures.read(id), { headers: { 'cache-control': 'no-store' } }),
  }
}
