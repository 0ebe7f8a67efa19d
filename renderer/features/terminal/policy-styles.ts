export interface PolicyDocument {
  document: Document
  /** For the one part of xterm (its scroll bar) that takes the page's own document, whichever it was given. */
  whileOpening: (open: () => void) => void
  release: () => void
}

/**
 * xterm writes its colours and sizes into style elements, which the content security policy refuses. Here it gets a
 * document whose style elements are no such thing, and what it writes into them is adopted as a style sheet made by script,
 * which the policy allows because only our own script can make one.
 */
export function policyDocument(): PolicyDocument {
  const sheets = new Map<CSSStyleSheet, MutationObserver>()
  const create = document.createElement.bind(document)
  const makeStyle = (): HTMLElement => {
    // Not a style element, whose text the policy would be asked about: only its text and its place are used.
    const element = create('div')
    element.hidden = true
    const sheet = new CSSStyleSheet()
    const observer = new MutationObserver(() => sheet.replaceSync(element.textContent ?? ''))
    observer.observe(element, { childList: true, characterData: true, subtree: true })
    sheets.set(sheet, observer)
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
    return element
  }
  const createElement = (name: string) => (name === 'style' ? makeStyle() : create(name))
  const proxy = new Proxy(document, {
    get(target, key) {
      if (key === 'createElement') return createElement
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  })
  return {
    document: proxy,
    whileOpening(open) {
      Object.defineProperty(document, 'createElement', { value: createElement, configurable: true })
      try {
        open()
      } finally {
        Reflect.deleteProperty(document, 'createElement')
      }
    },
    release() {
      for (const observer of sheets.values()) observer.disconnect()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet))
      sheets.clear()
    },
  }
}
