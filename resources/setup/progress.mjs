// @ts-check

const tty = Boolean(process.stdout.isTTY)

/** Elapsed time worth showing: nothing below a second. @param {number} ms */
export function elapsed(ms) {
  if (ms < 1000) return ''
  const seconds = ms / 1000
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** @typedef {(detail: string) => void} Say  says how far a step is, or what it ended with */

/**
 * Runs one step and shows it on one line. A terminal sees the line change; a log gets "…" once the step takes
 * longer than a second, and the result.
 * @template T
 * @param {string} label
 * @param {(say: Say) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(label, work) {
  const began = performance.now()
  let detail = ''
  const line = (/** @type {string} */ mark) => {
    const time = elapsed(performance.now() - began)
    return `${mark} ${label}${detail ? ` · ${detail}` : ''}${time ? `  ${time}` : ''}`
  }
  const redraw = () => process.stdout.write(`\r\x1b[2K${line('…').slice(0, (process.stdout.columns ?? 80) - 1)}`)
  const announce = tty ? undefined : setTimeout(() => console.log(`… ${label}`), 1000)
  const ticker = tty ? setInterval(redraw, 1000) : undefined
  if (tty) redraw()
  const finish = (/** @type {string} */ mark) => {
    clearTimeout(announce)
    clearInterval(ticker)
    if (tty) process.stdout.write('\r\x1b[2K')
    console.log(line(mark))
  }
  try {
    const result = await work((text) => {
      detail = text
      if (tty) redraw()
    })
    finish('✓')
    return result
  } catch (error) {
    finish('✗')
    throw error
  }
}

/** A line between steps. @param {string} text */
export const note = (text) => console.log(`  ${text}`)
