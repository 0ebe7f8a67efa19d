import { Problem } from '../../shared/errors.ts'
import { findElement, inPage } from './elements.ts'
import { callInFrame, eachFrame, type Handle } from './in-frame.ts'
import { boxOf, drawnTwice, readLinks, readTexts } from './in-page.ts'
import { readHtml, readScale } from './in-page-reading.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

const maxLinks = 20_000
const maxTexts = 10_000
/** What Chromium can draw at once, in pixels of the picture; a WebP holds less, and the browser stands still for it. */
const drawn = { side: 16_384, area: Number.POSITIVE_INFINITY }
const drawable = { png: drawn, jpeg: drawn, webp: { side: 16_383, area: 21_000_000 } }
/** In inches. */
const papers = { a4: [8.27, 11.69], letter: [8.5, 11], legal: [8.5, 14] } as const

export interface ScreenshotParams {
  format: 'png' | 'jpeg' | 'webp'
  quality?: number | undefined
  fullPage: boolean
  selector?: string | undefined
}

export interface Picture {
  bytes: Buffer
  /** How large in CSS pixels all of it is, where the picture is of its beginning only. */
  cutFrom: { width: number; height: number } | null
}

export async function screenshot(page: Page, operation: Operation, params: ScreenshotParams): Promise<Picture> {
  const { format, quality } = params
  const clip = await clipOf(page, operation, params)
  const answer = await page.cdp.send(
    'Page.captureScreenshot',
    {
      format,
      ...(quality === undefined || format === 'png' ? {} : { quality }),
      ...(clip === undefined ? {} : { clip: { ...clip.shown, scale: 1 }, captureBeyondViewport: true }),
    },
    operation.leftMs(),
  )
  const bytes = Buffer.from(String(answer['data']), 'base64')
  if (bytes.length > 0) return { bytes, cutFrom: clip?.cutFrom ?? null }
  throw new Problem('cdp-error', 'The browser could not make that picture. Ask for a smaller one, or for a png.')
}

async function clipOf(page: Page, operation: Operation, params: ScreenshotParams) {
  if (params.selector === undefined && !params.fullPage) return undefined
  const metrics = await page.cdp.send('Page.getLayoutMetrics', {}, operation.leftMs())
  const { main } = page.frames
  const scale = main === undefined ? 1 : await callInFrame(main, operation, readScale)
  const fitting = (x: number, y: number, fullWidth: number, fullHeight: number) => {
    const { side, area } = drawable[params.format]
    const width = Math.min(fullWidth, side / scale)
    const height = Math.min(fullHeight, side / scale, area / scale ** 2 / width)
    const isCut = width < fullWidth || height < fullHeight
    return { shown: { x, y, width, height }, cutFrom: isCut ? { width: fullWidth, height: fullHeight } : null }
  }
  if (params.selector === undefined) {
    const { width, height } = metrics['cssContentSize'] as { width: number; height: number }
    return fitting(0, 0, width, height)
  }
  const element = await requireElement(page, operation, params.selector)
  const box = await callInFrame(element.frame, operation, boxOf, element)
  if (box.width === 0 || box.height === 0) {
    throw new Problem(
      'not-found',
      `The element "${params.selector}" has no area that could be shown. Wait for it, or take another.`,
    )
  }
  const corners = [
    { x: box.x, y: box.y },
    { x: box.x + box.width, y: box.y },
    { x: box.x, y: box.y + box.height },
    { x: box.x + box.width, y: box.y + box.height },
  ]
  const shown: { x: number; y: number }[] = []
  for (const corner of corners) shown.push(await inPage(page, operation, element, corner))
  // What a frame of another site has drawn is taken over by the page around it a moment later.
  if (main !== undefined && element.frame !== main) await callInFrame(main, operation, drawnTwice)
  // A frame may be shown smaller or larger than it is, and turned.
  const [xs, ys] = [shown.map(({ x }) => x), shown.map(({ y }) => y)]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  const after = await page.cdp.send('Page.getLayoutMetrics', {}, operation.leftMs())
  const { pageX, pageY } = after['cssVisualViewport'] as { pageX: number; pageY: number }
  return fitting(x + pageX, y + pageY, Math.max(...xs) - x, Math.max(...ys) - y)
}

export async function pdf(
  page: Page,
  operation: Operation,
  params: { format: keyof typeof papers; landscape: boolean; printBackground: boolean; scale: number },
): Promise<Buffer> {
  const { format, ...options } = params
  const [paperWidth, paperHeight] = papers[format]
  const printed = await page.cdp.send('Page.printToPDF', { ...options, paperWidth, paperHeight }, operation.leftMs())
  return Buffer.from(String(printed['data']), 'base64')
}

/** The HTML of the page, or of the first element that matches, as it is now. */
export async function html(page: Page, operation: Operation, selector?: string): Promise<string> {
  const element = selector === undefined ? null : await requireElement(page, operation, selector)
  const frame = element?.frame ?? page.frames.main
  if (frame === undefined) return ''
  return callInFrame(frame, operation, readHtml, element)
}

/** The links of the page and of its frames, each in the order of its document. */
export async function links(page: Page, operation: Operation): Promise<{ href: string; text: string }[]> {
  return overFrames(page, operation, (frame, left) => callInFrame(frame, operation, readLinks, left), maxLinks)
}

/** The texts of every element that a selector finds, over all frames. */
export async function texts(page: Page, operation: Operation, selector: string): Promise<string[]> {
  return overFrames(
    page,
    operation,
    (frame, left) => callInFrame(frame, operation, readTexts, selector, left),
    maxTexts,
  )
}

async function overFrames<Item>(
  page: Page,
  operation: Operation,
  read: (frame: Handle['frame'], left: number) => Promise<Item[]>,
  limit: number,
): Promise<Item[]> {
  let left = limit
  const found = await eachFrame(page.frames.list(), operation, async (frame) => {
    const items = left > 0 ? await read(frame, left) : []
    left -= items.length
    return items
  })
  return found.flatMap(({ result }) => result)
}

async function requireElement(page: Page, operation: Operation, selector: string): Promise<Handle> {
  const element = await findElement(page, operation, selector)
  if (element !== null) return element
  throw new Problem(
    'not-found',
    `No element matches "${selector.slice(0, 200)}" now. Check the selector, or wait for it.`,
  )
}
