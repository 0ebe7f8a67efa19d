import type { CallParams } from '../../../../shared/contract/index.ts'
import type { CaptureKind } from '../../../../shared/ipc-inspector.ts'
import { callAgent } from '../../../app/bridge.ts'

export const captureTitles = {
  screenshot: 'Screenshot',
  html: 'HTML',
  markdown: 'Markdown',
  links: 'Links',
  snapshot: 'Accessibility text',
  pdf: 'PDF',
} as const
export type What = keyof typeof captureTitles

export interface Wish {
  what: What
  format: 'png' | 'jpeg' | 'webp'
  quality: number
  fullPage: boolean
  selector: string
  paper: 'a4' | 'letter' | 'legal'
  landscape: boolean
  background: boolean
}

export const firstWish: Wish = {
  ...{ what: 'screenshot', format: 'png', quality: 80, fullPage: false, selector: '' },
  ...{ paper: 'a4', landscape: false, background: true },
}

/** What was captured, with the page it is of. */
export type Captured = { at: string; kind: CaptureKind; title: string; url: string } & (
  | { form: 'picture' | 'file'; bytes: Uint8Array; contentType: string; cutFrom?: string }
  | { form: 'text'; text: string; truncated: boolean }
)

/** Quality is a matter of the formats that lose something. */
export function screenshotParams(wish: Wish): CallParams<'browser.screenshot'> {
  const selector = wish.selector.trim()
  return {
    format: wish.format,
    ...(wish.format === 'png' ? {} : { quality: wish.quality }),
    // An element is taken whole in any case.
    ...(selector === '' ? { fullPage: wish.fullPage } : { selector }),
  }
}

/** Links as lines that can be pasted: the text, a tab, the address. */
export function linksText(links: readonly { href: string; text: string }[]): string {
  return links.map(({ href, text }) => `${text.replace(/\s+/g, ' ').trim() || '(no text)'}\t${href}`).join('\n')
}

const endings = { png: 'png', jpeg: 'jpg', webp: 'webp' } as const

/** Asks the machine; `page` is the one in front, for what does not say itself which page it is of. */
export async function capture(machineId: string, wish: Wish, page: { title: string; url: string }): Promise<Captured> {
  const at = () => new Date().toISOString()
  switch (wish.what) {
    case 'screenshot': {
      const picture = await callAgent(machineId, 'browser.screenshot', screenshotParams(wish))
      return { ...page, ...picture, at: at(), form: 'picture', kind: endings[wish.format] }
    }
    case 'pdf': {
      const { paper: format, landscape, background: printBackground } = wish
      const file = await callAgent(machineId, 'browser.pdf', { format, landscape, printBackground })
      return { ...page, ...file, at: at(), form: 'file', kind: 'pdf' }
    }
    case 'html': {
      const selector = wish.selector.trim()
      const { html, url, title } = await callAgent(machineId, 'browser.content', selector === '' ? {} : { selector })
      return { url, title, at: at(), form: 'text', kind: 'html', text: html, truncated: false }
    }
    case 'markdown': {
      const { markdown, url, title, truncated } = await callAgent(machineId, 'browser.markdown', {})
      return { url, title, at: at(), form: 'text', kind: 'md', text: markdown, truncated }
    }
    case 'links': {
      const { links, url } = await callAgent(machineId, 'browser.links', {})
      return { url, title: page.title, at: at(), form: 'text', kind: 'txt', text: linksText(links), truncated: false }
    }
    case 'snapshot': {
      const { snapshot, url, title } = await callAgent(machineId, 'browser.snapshot', {})
      return { url, title, at: at(), form: 'text', kind: 'txt', text: snapshot, truncated: false }
    }
  }
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
