/**
 * What reads whole pages, inside them. As in in-page.ts, each function is sent as text: it may use the others of
 * this file, `own` and the DOM, and nothing else.
 */
declare function own<Kind>(node: Kind): Kind

export function readPlace(): { url: string; title: string } {
  return { url: location.href, title: document.title }
}

/** How many pixels of a picture a pixel of the page takes. */
export function readScale(): number {
  return devicePixelRatio
}

export function readHtml(element: Element | null): string {
  if (element !== null) return own(element).outerHTML
  const doctype = document.doctype === null ? '' : `${new XMLSerializer().serializeToString(document.doctype)}\n`
  return doctype + (document.documentElement?.outerHTML ?? '')
}

export function readText(): string {
  return document.body?.innerText ?? ''
}

/** Those in open shadow roots as well. */
export function countElements(root: Document | ShadowRoot = document): number {
  const elements = root.querySelectorAll('*')
  let count = elements.length
  for (const element of elements) {
    const { shadowRoot } = own(element)
    if (shadowRoot !== null) count += countElements(shadowRoot)
  }
  return count
}

/**
 * What a reader came for, as pieces of plain HTML: shadow roots opened up; navigation, footers, asides and the unseen
 * left out. So many levels down only texts are left, and no space is wider than anyone would look at.
 */
export function readClean(limit: number, maxDepth: number): { pieces: string[]; truncated: boolean } {
  const leftOut =
    'nav, footer, aside, script, style, noscript, template, iframe, object, embed, canvas, svg, dialog:not([open]), ' +
    'head, link, meta, input:not(li > input[type="checkbox"]), button, select, textarea, ' +
    '[role="navigation"], [role="contentinfo"], [role="complementary"], [role="search"], [aria-hidden="true"], [hidden]'
  const kept = ['href', 'src', 'alt', 'title', 'colspan', 'rowspan', 'start', 'align']
  /** A converter takes these for words within a line. */
  const known: Record<string, string> = { slot: 'div', details: 'div', summary: 'p' }
  const [widestSpace, longestAttribute] = [1000, 8192]
  let size = 0
  let truncated = false
  const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  const attributes = (element: Element) =>
    kept
      .flatMap((name) => {
        const value = own(element).getAttribute(name)
        if (value === null) return []
        const address =
          name === 'href' || name === 'src' ? (element as HTMLAnchorElement & HTMLImageElement)[name] : value
        // A picture that is its own address would drown the text.
        if (typeof address !== 'string' || address.length > longestAttribute || /^\s*(javascript|data):/i.test(address))
          return []
        return ` ${name}="${escaped(address).replace(/"/g, '&quot;')}"`
      })
      .join('')
  const writeText = (given: string, isKept: boolean): string => {
    const text = (isKept ? given : given.replace(/[ \t\r\n\f]+/g, ' ')).replace(/\s{2,}/g, (space) =>
      space.slice(0, widestSpace),
    )
    const room = limit - size
    if (text.length > room) truncated = true
    // One more than there is room for says that there is no more.
    const fits = escaped(text.slice(0, room + 1))
    size += fits.length
    return fits
  }
  /** As its lines are shown, in whatever elements they stand, with the language that a highlighter was told. */
  const writeCode = (pre: HTMLElement): string => {
    const around = [pre.querySelector('code'), pre, pre.parentElement, pre.parentElement?.parentElement]
    const classes = around.map((one) => one?.getAttribute('class') ?? '').join(' ')
    const language = /(?:^|\s)(?:lang(?:uage)?|highlight-(?:source|text))-([\w+#.-]+)/.exec(classes)?.[1]
    const opening = `<pre><code${language === undefined ? '' : ` class="language-${language}"`}>`
    size += opening.length
    return `${opening}${writeText(pre.innerText, true)}</code></pre>`
  }
  const isCode = (node: Element): node is HTMLPreElement =>
    node instanceof HTMLPreElement &&
    (node.querySelector('code') !== null || node.querySelector('a[href], img, table') === null)
  const isLeftOut = (element: Element): boolean => {
    const asked = own(element)
    if (asked.matches(leftOut)) return true
    if (!(asked instanceof HTMLElement) || asked.localName === 'slot') return false
    return !asked.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).display !== 'contents'
  }
  const writeTexts = (root: Node, isKept: boolean): string => {
    const shown = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT
    const walker = document.createTreeWalker(root, shown, (node) =>
      node instanceof Element && isLeftOut(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    )
    const texts: string[] = []
    while (walker.nextNode() !== null && size <= limit)
      if (walker.currentNode instanceof Text) texts.push(writeText(walker.currentNode.data, isKept))
    return texts.join(' ')
  }
  const write = (node: Node, depth: number, isKept: boolean): string => {
    if (size > limit) {
      truncated = true
      return ''
    }
    if (node instanceof Text) return writeText(node.data, isKept)
    if (!(node instanceof Element) || isLeftOut(node)) return ''
    const asked = own(node)
    if (depth >= maxDepth) return writeTexts(node, isKept)
    if (isCode(node)) return writeCode(node)
    const children =
      asked.shadowRoot !== null
        ? asked.shadowRoot.childNodes
        : node instanceof HTMLSlotElement && node.assignedNodes().length > 0
          ? node.assignedNodes()
          : asked.childNodes
    const keeps = isKept || asked.localName === 'pre'
    let inside = ''
    const isClosed = node instanceof HTMLDetailsElement && !node.open
    for (const child of children)
      if (!isClosed || (child as Element).localName === 'summary') inside += write(child, depth + 1, keeps)
    // Names of custom elements mean nothing to a converter; what they hold does.
    const name = known[asked.localName] ?? (asked.localName.includes('-') ? 'div' : asked.localName)
    const ticked = node instanceof HTMLInputElement ? ` type="checkbox"${node.checked ? ' checked' : ''}` : ''
    const opening = `<${name}${attributes(node)}${ticked}>`
    size += opening.length
    return ['br', 'hr', 'img', 'input', 'wbr', 'source', 'track', 'area', 'col'].includes(name)
      ? opening
      : `${opening}${inside}</${name}>`
  }
  const wrappers = ['body', 'div', 'main', 'section', 'article', 'header', 'center', 'form']
  const blocks = 'p, h1, h2, h3, h4, h5, h6, ul, ol, dl, table, pre, blockquote, figure, hr, details, address, fieldset'
  /** In pieces that each stand alone, so that no more than one of them has to be converted at a time. */
  const cut = (wrapper: Element, depth: number): string[] => {
    const pieces: string[] = []
    let run = ''
    const endRun = () => {
      if (run.trim() !== '') pieces.push(`<div>${run}</div>`)
      run = ''
    }
    for (const child of own(wrapper).childNodes) {
      const element = child instanceof Element ? child : null
      const asked = own(element)
      const divides =
        element !== null &&
        asked !== null &&
        depth < maxDepth &&
        wrappers.includes(asked.localName) &&
        asked.shadowRoot === null &&
        !asked.matches(leftOut) &&
        asked.checkVisibility({ visibilityProperty: true })
      if (!divides && !asked?.matches(blocks)) run += write(child, depth, false)
      else {
        endRun()
        if (divides) for (const piece of cut(element, depth + 1)) pieces.push(piece)
        else pieces.push(write(child, depth, false))
      }
    }
    endRun()
    return pieces
  }
  return { pieces: document.body === null ? [] : cut(document.body, 0), truncated }
}

/** All of the above as text. */
export const readingLibrary = [readPlace, readScale, readHtml, readText, countElements, readClean]
  .map(String)
  .join(';\n')
