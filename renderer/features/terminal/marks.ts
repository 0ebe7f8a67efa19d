import { Unicode11Addon } from '@xterm/addon-unicode11'
import type { IUnicodeVersionProvider, Terminal } from '@xterm/xterm'

/** More than any language has on one letter; a flag spelt in tags has seven. Each costs as much to draw as a letter. */
const mostMarks = 8

/** How xterm packs what it knows of a letter: whether it joins the one before, its width, and a state of our own. */
const joins = 1
const stateShift = 3
/** Of a mark that joins nothing: xterm draws no cell without a width. */
const nothing = 0

/**
 * How wide letters are, as of Unicode 11. Of marks that sit on one letter so many are drawn, and what follows are gaps:
 * one letter with some hundred thousand of them held the window for as long as drawing it takes.
 */
export function boundMarks(terminal: Pick<Terminal, 'unicode'>): void {
  const version = '11 with bounded marks'
  const register = (widths: IUnicodeVersionProvider) =>
    terminal.unicode.register({
      version,
      wcwidth: (code) => widths.wcwidth(code),
      charProperties: (code, before) => {
        const properties = widths.charProperties(code, before)
        if ((properties & joins) === 0) return properties
        const marks = before >> stateShift
        return marks < mostMarks ? properties | ((marks + 1) << stateShift) : nothing
      },
    })
  // The addon gives its widths to a terminal and to nobody else.
  new Unicode11Addon().activate({ unicode: { register } } as unknown as Terminal)
  terminal.unicode.activeVersion = version
}
