import type { ITheme } from '@xterm/xterm'

/** The terminal's colours are the console's tokens, in the theme as it is now. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const dark = document.documentElement.dataset['theme'] !== 'light'
  return {
    background: token('raised'),
    foreground: token('text'),
    cursor: token('text'),
    cursorAccent: token('raised'),
    selectionBackground: `${token('engine')}${dark ? '59' : '40'}`,
    scrollbarSliderBackground: `${token('line-strong')}b0`,
    scrollbarSliderHoverBackground: token('line-strong'),
    scrollbarSliderActiveBackground: token('off'),
    black: dark ? token('hover') : token('text'),
    red: token('broken'),
    green: token('up'),
    yellow: token('unknown'),
    blue: token('engine'),
    magenta: token('ansi-magenta'),
    cyan: token('ansi-cyan'),
    white: dark ? token('text-secondary') : token('line-strong'),
    brightBlack: token('text-tertiary'),
    brightRed: token('broken'),
    brightGreen: token('up'),
    brightYellow: token('unknown'),
    brightBlue: token('engine'),
    brightMagenta: token('ansi-magenta'),
    brightCyan: token('ansi-cyan'),
    brightWhite: dark ? token('text') : token('raised'),
  }
}

/** Calls back when the theme changes; returns the way to stop. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
