/**
 * xterm writes its colours and sizes into style elements, which the content security policy refuses. Here it gets a
 * document whose style elements are no such thing, and what it writes into them is adopted as a style sheet made by script,
 * which the policy allows because only our own script can make one.
 */
export function policyDocument(): { document: Document; release: () => void } {
  const sheets = new Map<CSSStyleSheet, MutationObserver>()
  const makeStyle = (): HTMLElement => {
    // Not a style element, whose text the policy would be asked about: only its text and its place are used.
    const element = document.createElement('div')
    element.hidden = true
    const sheet = new CSSStyleSheet()
    const observer = new MutationObserver(() => sheet.replaceSync(element.textContent ?? ''))
    observer.observe(element, { childList: true, characterData: true, subtree: true })
    sheets.set(sheet, observer)
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
    return element
  }
  const proxy = new Proxy(document, {
    get(target, key) {
      if (key === 'createElement') {
        return (name: string) => (name === 'style' ? makeStyle() : target.createElement(name))
      }
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  })
  return {
    document: proxy,
    release() {
      for (const observer of sheets.values()) observer.disconnect()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet))
      sheets.clear()
    },
  }
}
