import type { Publish } from '../events/publish.ts'
import type { OpenPages } from './open-pages.ts'

/** A page may change its address hundreds of times a second; the log of events gets the last of a while. */
const everyMs = 250
const maxUrl = 2048

/** Tells all consoles where the tabs are, so that none has to ask; returns what ends it. */
export function announcePages(pages: OpenPages, publish: Publish): () => void {
  const waiting = new Map<string, NodeJS.Timeout>()
  const told = new Map<string, string>()
  const stop = pages.events.on((event) => {
    if (event.type !== 'navigation' || waiting.has(event.tabId)) return
    const { tabId } = event
    const timer = setTimeout(() => {
      waiting.delete(tabId)
      const page = pages.list().find((one) => one.id === tabId)
      if (page === undefined) return void told.delete(tabId)
      const news = { url: page.url.slice(0, maxUrl), title: page.title.slice(0, 500), active: page === pages.front }
      const text = JSON.stringify(news)
      if (told.get(tabId) === text) return
      // The others are behind it now: one that comes back to the front is news again.
      if (news.active) told.clear()
      told.set(tabId, text)
      publish('page_navigated', { tabId, ...news })
    }, everyMs)
    waiting.set(tabId, timer)
  })
  return () => {
    stop()
    for (const timer of waiting.values()) clearTimeout(timer)
  }
}
