/** What the teller tells with; it exists in the agent's own world only. */
export const binding = 'pilothouseTell'

/**
 * Begins again, where the listeners are gone or listen to a document that is: after a page was written anew, and
 * after a popup left the blank one that it began with, whose world it goes on with.
 */
export const tellAgain = 'globalThis.pilothouseLook?.()'

/** Tells whether the tab is in front, and its title. Chromium has no event for either, but a page knows. */
export const teller = `(() => {
  if (window !== window.top) return
  const tell = (what) => ${binding}(JSON.stringify(what))
  const seen = () => tell({ seen: document.visibilityState === 'hidden' ? 'hidden' : document.hasFocus() ? 'focused' : 'visible' })
  let told
  const title = () => {
    // A document that is still being read may yet have one.
    if (document.title === told || (document.title === '' && document.readyState === 'loading')) return
    tell({ title: (told = document.title).slice(0, 500) })
  }
  const watcher = new MutationObserver((changes) => {
    if (changes.some(({ target }) => target === document || target === document.documentElement)) follow()
    else title()
  })
  const follow = () => {
    document.addEventListener('visibilitychange', seen, true)
    document.addEventListener('DOMContentLoaded', title)
    addEventListener('focus', seen, true)
    watcher.disconnect()
    watcher.observe(document, { childList: true })
    if (document.documentElement) watcher.observe(document.documentElement, { childList: true })
    if (document.head) watcher.observe(document.head, { childList: true, subtree: true, characterData: true })
    title()
  }
  globalThis.pilothouseLook = () => {
    follow()
    seen()
  }
  pilothouseLook()
})()`
