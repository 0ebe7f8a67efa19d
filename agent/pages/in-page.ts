/**
 * What runs inside pages, in the agent's own world there. Each function is sent as text together with the
 * others of this file, so it may use these, the DOM and nothing else: no imports, no constants. `own` is there as well:
 * any element may be a form, and is asked through it.
 */
declare function own<Kind>(node: Kind): Kind

/** The first element that a selector finds, in the document or in an open shadow root. */
export function deepFind(selector: string): Element | null {
  return findBelow(document, selector)
}

function findBelow(root: Document | ShadowRoot, selector: string): Element | null {
  const here = root.querySelector(selector)
  if (here !== null) return here
  for (const host of root.querySelectorAll('*')) {
    const { shadowRoot } = own(host)
    const found = shadowRoot === null ? null : findBelow(shadowRoot, selector)
    if (found !== null) return found
  }
  return null
}

/** Every element that a selector finds, those in open shadow roots after those around them. */
export function deepFindAll(selector: string, limit: number, root: Document | ShadowRoot = document): Element[] {
  const found = [...root.querySelectorAll(selector)]
  for (const host of root.querySelectorAll('*')) {
    if (found.length >= limit) break
    const { shadowRoot } = own(host)
    if (shadowRoot !== null) found.push(...deepFindAll(selector, limit - found.length, shadowRoot))
  }
  return found.slice(0, limit)
}

/** Whether a person could see it, if it were not covered. */
export function isSeen(element: Element): boolean {
  const asked = own(element)
  const { width, height } = asked.getBoundingClientRect()
  return asked.isConnected && width > 0 && height > 0 && asked.checkVisibility({ visibilityProperty: true })
}

/** An element in few words: for saying what is in the way. */
function describeElement(element: Element | null): string {
  if (element === null) return 'nothing of the page'
  const asked = own(element)
  const id = asked.id === '' ? '' : ` id="${asked.id}"`
  const classes = asked.getAttribute('class') ?? ''
  return `<${asked.localName}${id}${classes === '' ? '' : ` class="${classes}"`}>`.slice(0, 200)
}

function nextFrame(): Promise<void> {
  // A tab that is not drawn has no animation frames; one that is may take its time.
  return new Promise((resolve) => {
    const late = setTimeout(resolve, document.visibilityState === 'visible' ? 1000 : 200)
    requestAnimationFrame(() => {
      clearTimeout(late)
      resolve()
    })
  })
}

/** The part of an element that can be pointed at: the first of its lines that has an area. */
function lineOf(element: Element): DOMRect {
  const lines = [...own(element).getClientRects()]
  return lines.find((line) => line.width > 0 && line.height > 0) ?? own(element).getBoundingClientRect()
}

/** What a click at this place would reach, inside open shadow roots as well. */
function elementAt(x: number, y: number): Element | null {
  let hit = document.elementFromPoint(x, y)
  for (;;) {
    const inner = own(hit)?.shadowRoot?.elementFromPoint(x, y) ?? null
    if (inner === null || inner === hit) return hit
    hit = inner
  }
}

/** What a node is shown in, out of slots and shadow roots as well. */
function nodeAround(node: Node): Node | null {
  const asked = own(node)
  return (asked as Element).assignedSlot ?? asked.parentNode ?? (asked as ShadowRoot).host ?? null
}

/** Whether what is hit is the element, a part of it, or the label that stands for it. */
function reaches(hit: Element | null, element: Element): boolean {
  if (own(hit)?.closest('label')?.control === element) return true
  for (let node: Node | null = hit; node !== null; ) {
    if (node === element) return true
    node = nodeAround(node)
  }
  return false
}

export type Readiness =
  | { state: 'gone' | 'hidden' | 'disabled' | 'moving' | 'outside' }
  | { state: 'covered'; by: string }
  | { state: 'ready'; x: number; y: number }

/** Brings an element into view and waits until it stands still; says whether a pointer would reach it. */
export async function settle(element: Element, attempt: number, enabled: boolean): Promise<Readiness> {
  const asked = own(element)
  if (!asked.isConnected) return { state: 'gone' }
  if (!isSeen(element)) return { state: 'hidden' }
  if (enabled && asked.matches(':disabled, [aria-disabled="true"]')) return { state: 'disabled' }
  const { pointerLockElement } = document
  // Whatever has the pointer to itself is given every click, wherever on the page it is meant to go.
  if (pointerLockElement !== null && pointerLockElement !== element) document.exitPointerLock()
  const box = asked.getBoundingClientRect()
  const inView = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth
  // A header that stays in place may cover it at one end of the window, but hardly at both and in the middle.
  const block = (['center', 'end', 'start'] as const)[attempt % 3] ?? 'center'
  if (!inView || attempt > 0) asked.scrollIntoView({ block, inline: 'center', behavior: 'instant' })
  const first = lineOf(element)
  await nextFrame()
  await nextFrame()
  if (!asked.isConnected) return { state: 'gone' }
  const second = lineOf(element)
  const places = (rect: DOMRect) => [rect.x, rect.y, rect.width, rect.height].join()
  if (places(first) !== places(second)) return { state: 'moving' }
  const middle = (from: number, to: number, end: number) => (Math.max(0, from) + Math.min(end, to)) / 2
  const x = middle(second.left, second.right, innerWidth)
  const y = middle(second.top, second.bottom, innerHeight)
  const hit = elementAt(x, y)
  if (hit === null) return { state: 'outside' }
  return reaches(hit, element) ? { state: 'ready', x, y } : { state: 'covered', by: describeElement(hit) }
}

/** What an element and all around it are turned, skewed and stretched by; null where nothing is turned or skewed. */
function turnOf(element: Element): DOMMatrix | null {
  let turn = new DOMMatrix()
  for (let node: Node | null = element; node !== null; ) {
    if (node instanceof Element) {
      const { rotate, scale, transform } = getComputedStyle(node)
      const turned = new DOMMatrix()
      if (rotate !== 'none' && /^[-+.\de]+deg$/.test(rotate)) turned.rotateSelf(Number.parseFloat(rotate))
      if (scale !== 'none') {
        const [x = 1, y = x] = scale.split(' ').map(Number)
        turned.scaleSelf(x, y)
      }
      if (transform !== 'none') turned.multiplySelf(new DOMMatrix(transform))
      turn = turned.multiply(turn)
    }
    node = nodeAround(node)
  }
  const isUpright = Math.abs(turn.b) < 1e-6 && Math.abs(turn.c) < 1e-6 && turn.a > 0 && turn.d > 0
  return isUpright ? null : turn
}

/** Where a place inside a frame is in the document around it, and whether the frame is what is hit there. */
export function throughFrame(owner: Element, x: number, y: number): { x: number; y: number; coveredBy: string | null } {
  const box = owner.getBoundingClientRect()
  const style = getComputedStyle(owner)
  const { offsetWidth, offsetHeight, clientLeft, clientTop } = owner as HTMLElement
  const [left, top] = [
    clientLeft + Number.parseFloat(style.paddingLeft) + x,
    clientTop + Number.parseFloat(style.paddingTop) + y,
  ]
  const turn = turnOf(owner)
  const outer = { x: 0, y: 0 }
  if (turn === null) {
    outer.x = box.left + (offsetWidth > 0 ? (left * box.width) / offsetWidth : left)
    outer.y = box.top + (offsetHeight > 0 ? (top * box.height) / offsetHeight : top)
  } else {
    // However a box is turned, its middle is the middle of what it takes up.
    const [fromX, fromY] = [left - offsetWidth / 2, top - offsetHeight / 2]
    outer.x = box.left + box.width / 2 + turn.a * fromX + turn.c * fromY
    outer.y = box.top + box.height / 2 + turn.b * fromX + turn.d * fromY
  }
  const hit = elementAt(outer.x, outer.y)
  return { ...outer, coveredBy: reaches(hit, owner) ? null : describeElement(hit) }
}

/** What has changed by now is on the screen when it ends. */
export async function drawnTwice(): Promise<void> {
  await nextFrame()
  await nextFrame()
}

/** An element's place in its document, scrolled into view first and drawn there: a frame may have shown nothing yet. */
export async function boxOf(element: Element): Promise<{ x: number; y: number; width: number; height: number }> {
  own(element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  await drawnTwice()
  const { x, y, width, height } = own(element).getBoundingClientRect()
  return { x, y, width, height }
}

export type Field = 'keys' | 'number' | 'value' | 'not-editable' | 'read-only'

/** Puts the cursor into a field, at its end or over all that is in it; says how it takes text. */
export function enterField(element: Element, selectAll: boolean): Field {
  const asked = own(element)
  if (asked instanceof HTMLElement) asked.focus()
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
  if (isField) {
    if (element.readOnly) return 'read-only'
    const chosen = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']
    if (chosen.includes(element.type)) return 'value'
    if (['checkbox', 'radio', 'file', 'submit', 'button', 'image', 'reset', 'hidden'].includes(element.type))
      return 'not-editable'
    if (selectAll) element.select()
    else if (element.selectionStart !== null) element.setSelectionRange(element.value.length, element.value.length)
    else {
      // Numbers and e-mail addresses have no cursor that can be set, and begin with it in front of what they hold.
      element.select()
      getSelection()?.modify('move', 'forward', 'line')
    }
    return element.type === 'number' ? 'number' : 'keys'
  }
  if (asked instanceof HTMLElement && asked.isContentEditable) {
    const selection = (asked.getRootNode() as Document).getSelection?.() ?? getSelection()
    selection?.selectAllChildren(element)
    if (!selectAll) selection?.collapseToEnd()
    return 'keys'
  }
  return asked.matches(':focus') ? 'keys' : 'not-editable'
}

/**
 * Sets a field that is chosen rather than typed into, and tells the page as a person's choice would. False when it does
 * not take that value: it keeps the one that it has then.
 */
export function setValue(element: Element, value: string): boolean {
  const field = element as HTMLInputElement
  const before = field.value
  field.value = value
  // These two are never empty: what they do not understand makes them black, or stand in the middle.
  const isNone = { color: !CSS.supports('color', value), range: !/\d/.test(value) }[field.type] ?? field.value === ''
  if (isNone && value !== '') {
    field.value = before
    return false
  }
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
  return true
}

/**
 * Puts a text of many lines in, but for its last character, which is to be typed then: the page hears of all of it by
 * that. As a paste, line by line, Chromium needs minutes for what takes a moment so.
 */
export function insertLines(element: Element, text: string): string {
  if (!(element instanceof HTMLTextAreaElement) || !text.includes('\n')) return text
  const { value, selectionStart, selectionEnd, maxLength } = element
  const room = maxLength < 0 ? text.length : Math.max(0, maxLength - value.length + selectionEnd - selectionStart)
  const characters = [...text.slice(0, room)]
  const last = characters.pop() ?? ''
  element.setRangeText(characters.join(''), selectionStart, selectionEnd, 'end')
  return last
}

export type Choice = 'chosen' | 'no-option' | 'not-a-select'

/** Chooses an option by its value, or else by its text. */
export function chooseOption(element: Element, wanted: string): Choice {
  if (!(element instanceof HTMLSelectElement)) return 'not-a-select'
  const options = [...element.options].filter((option) => !option.matches(':disabled'))
  const text = wanted.trim().replace(/\s+/g, ' ')
  const option = options.find((one) => one.value === wanted) ?? options.find((one) => one.text === text)
  if (option === undefined) return 'no-option'
  for (const one of element.options) one.selected = one === option
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  element.dispatchEvent(new Event('change', { bubbles: true }))
  return 'chosen'
}

export function isFileField(element: Element): boolean {
  return element instanceof HTMLInputElement && element.type === 'file'
}

export function scrollElement(element: Element, x: number, y: number): void {
  if (x === 0 && y === 0) own(element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  else own(element).scrollBy({ left: x, top: y, behavior: 'instant' })
}

export function isInTheMiddle(element: Element): boolean {
  return reaches(elementAt(innerWidth / 2, innerHeight / 2), element)
}

/** Scrolls what a wheel in the middle of the window would scroll; says whether anything could be. */
export function scrollPage(x: number, y: number): boolean {
  let element = elementAt(innerWidth / 2, innerHeight / 2)
  while (element !== null) {
    const asked: Element = own(element)
    const { scrollLeft, scrollTop } = asked
    asked.scrollBy({ left: x, top: y, behavior: 'instant' })
    if (asked.scrollLeft !== scrollLeft || asked.scrollTop !== scrollTop) return true
    element = asked.parentElement ?? (asked.getRootNode() as ShadowRoot).host ?? null
  }
  const [left, top] = [scrollX, scrollY]
  scrollBy({ left: x, top: y, behavior: 'instant' })
  return scrollX !== left || scrollY !== top
}

export function readTexts(selector: string, limit: number): string[] {
  return deepFindAll(selector, limit)
    .map(own)
    .map((element) => {
      const text = element instanceof HTMLElement ? element.innerText : (element.textContent ?? '')
      return text.trim().slice(0, 100_000)
    })
}

/** Where a link leads. One in an SVG has its address in an object, as it was written. */
function addressOf(element: Element): string {
  const { href } = element as unknown as { href?: string | { baseVal: string } }
  if (typeof href === 'string') return href
  const written = href?.baseVal ?? element.getAttribute('href') ?? ''
  return URL.canParse(written, element.baseURI) ? new URL(written, element.baseURI).href : written
}

export function readLinks(limit: number): { href: string; text: string }[] {
  return deepFindAll('a[*|href], area[href]', limit).map((element) => {
    const { innerText, title } = element as HTMLAnchorElement
    const named = element.getAttribute('aria-label') ?? element.getAttribute('alt') ?? title
    const text = (innerText ?? element.textContent ?? '').trim() || named || element.querySelector('img')?.alt || ''
    return { href: addressOf(element).slice(0, 8192), text: text.replace(/\s+/g, ' ').slice(0, 500) }
  })
}

/** All of the above as text. `__name` is what a bundler wraps functions in; a page does not have it. */
export const pageLibrary = [
  'const __name = (named) => named',
  deepFind,
  findBelow,
  deepFindAll,
  isSeen,
  describeElement,
  nextFrame,
  lineOf,
  elementAt,
  nodeAround,
  reaches,
  settle,
  turnOf,
  throughFrame,
  boxOf,
  drawnTwice,
  enterField,
  setValue,
  insertLines,
  chooseOption,
  isFileField,
  scrollElement,
  isInTheMiddle,
  scrollPage,
  readTexts,
  addressOf,
  readLinks,
]
  .map(String)
  .join(';\n')
