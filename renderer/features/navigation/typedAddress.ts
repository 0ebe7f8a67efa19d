/** An address as the browser wants it, from what a person types; null for what is none. Nothing is sent to a search. */
export function typedAddress(typed: string): string | null {
  const text = typed.trim()
  if (text === '') return null
  // A scheme with something behind it; `localhost:3000` is a host with a port.
  if (/^(https?|about|data|chrome):/i.test(text)) return URL.canParse(text) ? text : null
  if (/\s/.test(text) || /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) return null
  const [host = ''] = text.split(/[/?#]/)
  const near = /^(localhost|127\.|10\.|192\.168\.|\[)/i.test(host) || /:\d+$/.test(host)
  if (!near && !host.includes('.')) return null
  const address = `${near ? 'http' : 'https'}://${text}`
  return URL.canParse(address) ? address : null
}
