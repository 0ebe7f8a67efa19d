import type { IDisposable, IParser, Terminal } from '@xterm/xterm'

/** What a title may be: one line, short, and without marks that turn it round. */
export function shownTitle(title: string): string {
  const plain = title.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim()
  return plain.length > 60 ? `${plain.slice(0, 59)}…` : plain
}

/** Modes that programs ask for; a question about any other number would only be echoed. */
const askedModes = new Set([
  1, 3, 4, 6, 7, 8, 9, 12, 20, 25, 45, 47, 66, 67, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1047, 1048,
  1049, 2004, 2026,
])

/**
 * Done so many times over as they say, up to two thousand million: the window would hang, and again with every picture
 * that is drawn anew. More often than the screen has rows, or places, makes no difference on it, and no program asks.
 */
const repeated: Readonly<Record<string, 'rows' | 'cols' | 'places'>> = {
  ...{ L: 'rows', M: 'rows', S: 'rows', T: 'rows' },
  ...{ I: 'cols', Z: 'cols' },
  b: 'places',
}

type Reply = (text: string) => void

type Guarded = Pick<Terminal, 'parser' | 'options' | 'rows' | 'cols'>

/**
 * What a machine writes may be hostile: it must not reach the clipboard, repaint the console's colours, hang
 * the window, or have words of its choice typed back at the shell. Replies that remain are of a fixed form with numbers of the screen.
 */
export function guard(terminal: Guarded, reply: Reply): IDisposable[] {
  const { parser } = terminal
  const most = { rows: () => terminal.rows, cols: () => terminal.cols, places: () => terminal.rows * terminal.cols }
  const ignored = [4, 5, 9, 50, 52, 104, 105, 110, 111, 112, 133, 633, 777, 1337]
  return [
    ...ignored.map((id) => parser.registerOscHandler(id, () => true)),
    ...colourQueries(parser, terminal, reply),
    // DECRQSS: the answer that says "no such setting", whatever was asked.
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => {
      reply('\u001bP0$r\u001b\\')
      return true
    }),
    ...['?', ''].map((prefix) =>
      parser.registerCsiHandler({ ...(prefix === '?' && { prefix }), intermediates: '$', final: 'p' }, (params) => {
        return !askedModes.has(Number(params[0]))
      }),
    ),
    ...Object.entries(repeated).map(([final, limit]) =>
      parser.registerCsiHandler({ final }, ([count]) => Number(count) > most[limit]()),
    ),
    // Reports about the window, its title among them, and moving it.
    parser.registerCsiHandler({ final: 't' }, () => true),
  ]
}

/** Programs ask for the ground's colour to choose theirs. They are told the theme's, and cannot change it. */
function colourQueries(parser: IParser, terminal: Pick<Terminal, 'options'>, reply: Reply): IDisposable[] {
  const names = { 10: 'foreground', 11: 'background', 12: 'cursor' } as const
  return ([10, 11, 12] as const).map((id) =>
    parser.registerOscHandler(id, (data) => {
      const colour = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(terminal.options.theme?.[names[id]] ?? '')
      if (data === '?' && colour !== null) {
        const [, red = '', green = '', blue = ''] = colour
        reply(`\u001b]${id};rgb:${red}${red}/${green}${green}/${blue}${blue}\u001b\\`)
      }
      return true
    }),
  )
}
