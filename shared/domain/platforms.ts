/** Which kind of site a page belongs to. Sites of companies often carry a platform's form under their own address. */

export const platforms = ['linkedin', 'greenhouse', 'lever', 'workday', 'unknown'] as const
export type Platform = (typeof platforms)[number]

/** What of a page tells its platform; everything in lower case is enough. */
export interface PageMarks {
  url: string
  /** Addresses of frames, scripts and forms in the page. */
  sources: readonly string[]
  /** Attributes and ids that platforms are known by, as `name` or `name=value`. */
  marks: readonly string[]
}

const hosts: readonly (readonly [Platform, RegExp])[] = [
  ['linkedin', /(^|\.)linkedin\.com$/],
  ['greenhouse', /(^|\.)greenhouse\.io$/],
  ['lever', /(^|\.)lever\.co$/],
  ['workday', /(^|\.)(myworkdayjobs|myworkday|workday)\.com$/],
]

const pageMarks: readonly (readonly [Platform, RegExp])[] = [
  ['workday', /^data-automation-id/],
  ['greenhouse', /^(id=(grnhse_app|application_form|boards-greenhouse)|data-greenhouse)/],
  ['lever', /^(class=(application-form lever|posting-apply)|data-qa=(btn-submit|posting-apply)|id=lever)/],
  ['linkedin', /^(class=(jobs-easy-apply|artdeco)|data-easy-apply)/],
]

/** The host decides; then what the page loads; then what its elements are called. */
export function detectPlatform(page: PageMarks): Platform {
  const own = byHost(page.url)
  if (own !== undefined) return own
  for (const source of page.sources) {
    const embedded = byHost(source)
    if (embedded !== undefined) return embedded
  }
  const found = pageMarks.find(([, pattern]) => page.marks.some((mark) => pattern.test(mark.toLowerCase())))
  return found?.[0] ?? 'unknown'
}

function byHost(url: string): Platform | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  return hosts.find(([, pattern]) => pattern.test(hostname))?.[0]
}
