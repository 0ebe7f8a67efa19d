import type { CallParamsOut } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import { checkAddress } from '../browser/address.ts'
import type { CdpParams } from '../browser/cdp.ts'
import type { OpenPages } from '../pages/open-pages.ts'

interface StoredCookie {
  name: string
  value: string
  domain: string
  path: string
  expires: number
  httpOnly: boolean
  secure: boolean
  sameSite?: string
  partitionKey?: PartitionKey
}
/** As Chromium writes it down; an older one gives the site alone. */
type PartitionKey = string | { topLevelSite: string; hasCrossSiteAncestor: boolean }

const crossSite = ' cross-site'

/** All cookies of the running context, or those that an address would be sent. */
export async function listCookies(pages: OpenPages, url: string | undefined) {
  const answer =
    url === undefined
      ? await pages.send('Storage.getCookies')
      : await pages.requireFront().cdp.send('Network.getCookies', { urls: [checkAddress(url)] })
  return (answer['cookies'] as StoredCookie[]).map((cookie) => ({
    name: cookie.name,
    value: cookie.value,
    domain: cookie.domain,
    path: cookie.path,
    expires: cookie.expires,
    httpOnly: cookie.httpOnly,
    secure: cookie.secure,
    sameSite: cookie.sameSite ?? null,
    partition: partitionOf(cookie),
  }))
}

function partitionOf({ partitionKey: key }: StoredCookie): string | null {
  if (key === undefined || typeof key === 'string') return key ?? null
  return key.topLevelSite + (key.hasCrossSiteAncestor ? crossSite : '')
}

function partitionKeyOf(partition: string): PartitionKey {
  const hasCrossSiteAncestor = partition.endsWith(crossSite)
  return {
    topLevelSite: hasCrossSiteAncestor ? partition.slice(0, -crossSite.length) : partition,
    hasCrossSiteAncestor,
  }
}

/** Sets a cookie, for the page in front where neither domain nor address is given. */
export async function setCookie(pages: OpenPages, params: CallParamsOut<'cookies.set'>): Promise<void> {
  const { leaseId: _leaseId, domain, url, partition, ...cookie } = params
  const where = domain !== undefined ? { domain } : { url: webAddress(url ?? pages.requireFront().url) }
  const given: CdpParams = { ...cookie, ...where }
  if (partition) given['partitionKey'] = partitionKeyOf(partition)
  if (cookie.expires === undefined) delete given['expires']
  if (cookie.sameSite === undefined) delete given['sameSite']
  try {
    await pages.send('Storage.setCookies', { cookies: [given] })
  } catch (error) {
    if (!(error instanceof Problem) || !/invalid|sanitize/i.test(error.message)) throw error
    throw notTaken()
  }
  // Of some it says nothing, such as one for all sites that is not secure. One whose time is up is a deletion.
  if (cookie.expires !== undefined && cookie.expires >= 0 && cookie.expires * 1000 <= Date.now()) return
  const { cookies } = await pages.send('Storage.getCookies')
  const isKept = (one: StoredCookie) =>
    one.name === cookie.name.trim() &&
    one.value.trim() === cookie.value.trim() &&
    (partitionOf(one) ?? '') === (partition ?? '')
  if (!(cookies as StoredCookie[]).some(isKept)) throw notTaken()
}

function notTaken(): Problem {
  return new Problem('invalid-params', 'The browser does not take that cookie. Check its name, domain, path and flags.')
}

/** Deletes the cookies of a name, everywhere or only those that fit the rest; returns how many there were. */
export async function deleteCookies(pages: OpenPages, params: CallParamsOut<'cookies.delete'>): Promise<number> {
  const { name, domain, path, partition } = params
  const { cookies } = await pages.send('Storage.getCookies')
  const bare = (host: string) => host.toLowerCase().replace(/^\./, '')
  const doomed = (cookies as StoredCookie[]).filter(
    (cookie) =>
      cookie.name === name &&
      (domain === undefined || bare(cookie.domain) === bare(domain)) &&
      (path === undefined || cookie.path === path) &&
      (partition === undefined || (partitionOf(cookie) ?? '') === partition),
  )
  const { cdp } = pages.requireFront()
  for (const cookie of doomed) {
    const { partitionKey } = cookie
    await cdp.send('Network.deleteCookies', {
      ...{ name, domain: cookie.domain, path: cookie.path },
      ...(partitionKey === undefined ? {} : { partitionKey }),
    })
  }
  return doomed.length
}

function webAddress(url: string): string {
  const address = checkAddress(url)
  if (/^https?:/.test(address)) return address
  throw new Problem('invalid-url', 'Say whose cookie it is: give a domain, or an http or https address as url.')
}
