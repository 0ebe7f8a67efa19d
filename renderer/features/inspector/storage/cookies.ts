import type { CallParams, CallResult } from '../../../../shared/contract/index.ts'

export type Cookie = CallResult<'cookies.list'>['cookies'][number]

/** A cookie as it stands in the form. */
export interface CookieDraft {
  name: string
  value: string
  /** With a dot in front it is for the subdomains too. */
  domain: string
  path: string
  /** As `datetime-local` has it; empty ends with the browser. */
  expires: string
  httpOnly: boolean
  secure: boolean
  sameSite: 'unset' | 'Strict' | 'Lax' | 'None'
  /** Where it is kept apart from its namesakes; not to be changed. */
  partition: string | null
}

export const cookieId = ({ name, domain, path, partition }: Cookie) => JSON.stringify([domain, path, name, partition])

/** The call that deletes this one. An agent that does not tell of partitions yet deletes what has its name there. */
export function deleteParams({ name, domain, path, partition }: Cookie): CallParams<'cookies.delete'> {
  return { name, domain, ...(partition === undefined ? {} : { path, partition: partition ?? '' }) }
}

export function draftOf(cookie: Cookie | null, pageUrl: string | null): CookieDraft {
  if (cookie === null) {
    const domain = pageUrl !== null && URL.canParse(pageUrl) ? new URL(pageUrl).hostname : ''
    return {
      ...{ name: '', value: '', domain, path: '/', expires: '' },
      ...{ httpOnly: false, secure: pageUrl?.startsWith('https:') ?? false, sameSite: 'Lax', partition: null },
    }
  }
  const { sameSite, expires, partition = null, ...rest } = cookie
  const known = sameSite === 'Strict' || sameSite === 'Lax' || sameSite === 'None' ? sameSite : 'unset'
  return { ...rest, partition, sameSite: known, expires: expires > 0 ? localTime(expires * 1000) : '' }
}

/** What is wrong with a draft, by field. */
export function mistakesIn(draft: CookieDraft): Partial<Record<keyof CookieDraft, string>> {
  const mistakes: Partial<Record<keyof CookieDraft, string>> = {}
  if (draft.name === '') mistakes.name = 'A cookie needs a name.'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  else if (/[\u0000-\u001f\u007f=;]|^\s|\s$/.test(draft.name))
    mistakes.name = 'No semicolons, equals signs or line breaks, and no space at its ends.'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f;]/.test(draft.value)) mistakes.value = 'No semicolons and no line breaks.'
  if (draft.value.length + draft.name.length > 4096)
    mistakes.value = 'Name and value together have at most 4096 characters.'
  if (!/^\.?[^\s./:@][^\s/:@]*$|^\[[\da-f:]+\]$/i.test(draft.domain))
    mistakes.domain = 'A host name, such as example.org.'
  if (!draft.path.startsWith('/')) mistakes.path = 'Begins with a slash.'
  if (draft.expires !== '' && Number.isNaN(Date.parse(draft.expires))) mistakes.expires = 'Not a time.'
  if (draft.sameSite === 'None' && !draft.secure) mistakes.sameSite = 'Chromium takes None only with Secure.'
  return mistakes
}

/** The call that sets it. One for a single host is given an address instead of a domain: a domain would widen it. */
export function setParams(draft: CookieDraft): CallParams<'cookies.set'> {
  const { domain, expires, sameSite, partition, ...rest } = draft
  const wide = domain.startsWith('.')
  return {
    ...rest,
    ...(wide ? { domain } : { url: `${draft.secure ? 'https' : 'http'}://${domain}${draft.path}` }),
    ...(expires === '' ? {} : { expires: Math.round(Date.parse(expires) / 1000) }),
    ...(sameSite === 'unset' ? {} : { sameSite }),
    ...(partition === null ? {} : { partition }),
  }
}

export function matches(cookie: Cookie, words: string): boolean {
  const wanted = words.trim().toLowerCase()
  return [cookie.name, cookie.domain, cookie.path].some((text) => text.toLowerCase().includes(wanted))
}

/** When it ends, in words; `now` in ms. */
export function expiryText({ expires }: Pick<Cookie, 'expires'>, now: number): string {
  if (expires <= 0) return 'With the browser'
  const days = (expires * 1000 - now) / 86_400_000
  if (days < 0) return 'Expired'
  if (days < 1) return `In ${Math.max(1, Math.round(days * 24))} h`
  return days < 60 ? `In ${Math.round(days)} d` : new Date(expires * 1000).toISOString().slice(0, 10)
}

function localTime(ms: number): string {
  const at = new Date(ms)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}
