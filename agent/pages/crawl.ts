import { Problem } from '../../shared/errors.ts'
import { callInFrame } from './in-frame.ts'
import { readLinks } from './in-page.ts'
import { readText } from './in-page-reading.ts'
import { closeTab } from './leaving.ts'
import { markdown } from './markdown.ts'
import { navigate } from './navigation.ts'
import type { OpenPages } from './open-pages.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'
import { html } from './reading.ts'

export interface CrawlParams {
  url: string
  maxPages: number
  maxDepth: number
  allowedDomains?: string[] | undefined
  extract: 'markdown' | 'html' | 'text' | 'links'
  timeout: number
}
export interface CrawledPage {
  url: string
  title: string
  content: string
  links: string[]
  status: number | null
  depth: number
  error: string | null
}

const pageLimitMs = 15_000
const closeMs = 10_000
const maxLinks = 2000
/** What one answer may hold of page texts; the rest of the pages is left out and said to be. */
const maxContent = 8_000_000

/** Visits pages breadth first, each once, in a tab of its own that is gone afterwards. */
export async function crawl(pages: OpenPages, params: CrawlParams, signal: AbortSignal) {
  const tab = await pages.openTab(true)
  tab.dismissesDialogs = true
  try {
    return await visitAll(pages, tab, params, signal)
  } finally {
    // Until it is gone: whoever asks for the tabs next must not find it.
    await closeTab(pages, tab, closeMs).catch(() => {})
  }
}

async function visitAll(pages: OpenPages, tab: Page, params: CrawlParams, signal: AbortSignal) {
  const late = performance.now() + params.timeout
  const first = normalised(params.url) ?? params.url
  const domains = [...(params.allowedDomains ?? [new URL(first).hostname])]
  const seen = new Set([first])
  const queue = [{ url: first, depth: 0 }]
  const found: CrawledPage[] = []
  let size = 0
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    signal.throwIfAborted()
    const leftMs = late - performance.now()
    if (leftMs <= 0 || found.length >= params.maxPages || size > maxContent || tab.closed) {
      return { pages: found, totalPages: found.length, truncated: true }
    }
    const page = await visit(pages, tab, params, next, Math.min(pageLimitMs, leftMs), signal)
    const arrived = normalised(page.url)
    if (arrived !== undefined && arrived !== next.url) {
      // Many a site is at home under another name than the one it is known by.
      if (next.url === first && params.allowedDomains === undefined) domains.push(new URL(arrived).hostname)
      if (next.url === first && !isAllowed(arrived, domains)) {
        found.push(elsewhere(page, first, new URL(arrived).hostname))
        continue
      }
      // A redirect to a page that was visited, or to a place that was not allowed, is not another page.
      if (seen.has(arrived) || !isAllowed(arrived, domains)) continue
      seen.add(arrived)
    }
    found.push(page)
    size += page.content.length
    if (next.depth >= params.maxDepth) continue
    for (const link of page.links) {
      if (seen.has(link) || !isAllowed(link, domains)) continue
      seen.add(link)
      queue.push({ url: link, depth: next.depth + 1 })
    }
  }
  return { pages: found, totalPages: found.length, truncated: false }
}

/** One page; one that fails is a page with an error, and the others are visited all the same. */
async function visit(
  pages: OpenPages,
  tab: Page,
  params: CrawlParams,
  { url, depth }: { url: string; depth: number },
  limitMs: number,
  signal: AbortSignal,
): Promise<CrawledPage> {
  const empty = { url, title: '', content: '', links: [], status: null, depth, error: null }
  try {
    return await tab.perform({ limitMs, signal, evenCrashed: true }, async (operation) => {
      const { download, ...arrival } = await navigate(pages, tab, operation, url, 'load')
      if (download !== null) return { ...empty, status: arrival.status, error: `A download: ${download.filename}` }
      const links = await linksOf(tab, operation)
      return { ...empty, ...arrival, links, content: await extract(tab, operation, params.extract, links) }
    })
  } catch (error) {
    if (!(error instanceof Problem) || signal.aborted) throw error
    return { ...empty, error: error.message }
  }
}

/** The first page, when it turned out to be in a place that was not allowed. */
function elsewhere({ status }: CrawledPage, url: string, host: string): CrawledPage {
  const error = `The address leads to ${host}, which is none of the allowed domains. Allow it, or begin elsewhere.`
  return { url, title: '', content: '', links: [], status, depth: 0, error }
}

async function linksOf(tab: Page, operation: Operation): Promise<string[]> {
  const { main } = tab.frames
  const links = main === undefined ? [] : await callInFrame(main, operation, readLinks, maxLinks)
  return [...new Set(links.flatMap(({ href }) => normalised(href) ?? []))]
}

async function extract(
  tab: Page,
  operation: Operation,
  what: CrawlParams['extract'],
  links: string[],
): Promise<string> {
  if (what === 'links') return links.join('\n')
  if (what === 'html') return html(tab, operation)
  if (what === 'markdown') return (await markdown(tab, operation)).markdown
  return tab.frames.main === undefined ? '' : callInFrame(tab.frames.main, operation, readText)
}

/** An address without its fragment, or a question mark with nothing behind it; undefined for what is not a web page. */
export function normalised(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  url.hash = ''
  if (url.search === '') url.search = ''
  return url.href
}

/** Whether an address is on one of the domains, or below one. */
export function isAllowed(address: string, domains: string[]): boolean {
  const host = new URL(address).hostname
  return domains.some((domain) => {
    const given = domain.toLowerCase().replace(/^\*?\./, '')
    // As an address spells it, such as one with an umlaut.
    const name = URL.canParse(`http://${given}`) ? new URL(`http://${given}`).hostname : given
    return host === name || host.endsWith(`.${name}`)
  })
}
