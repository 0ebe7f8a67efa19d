// @ts-check

/** Something a person can put right: what went wrong, what they can do, and the output that shows it. */
export class SetupFailure extends Error {
  /**
   * @param {string} message
   * @param {{ next?: string, output?: string, exitCode?: number }} [more]
   */
  constructor(message, { next, output, exitCode = 1 } = {}) {
    super(message)
    this.name = 'SetupFailure'
    this.next = next
    this.output = output
    this.exitCode = exitCode
  }
}

/**
 * Runs a script's main function and turns a failure into a message and an exit code.
 * @param {() => Promise<number | void>} main
 */
export async function runScript(main) {
  try {
    process.exitCode = (await main()) || 0
  } catch (error) {
    process.exitCode = error instanceof SetupFailure ? error.exitCode : 1
    console.error(describe(error))
  }
  // A forgotten timer or socket must not keep a finished script alive.
  process.exit()
}

/** What a person should read of a failure. @param {unknown} error */
export function describe(error) {
  if (!(error instanceof SetupFailure)) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const parts = ['']
  if (error.output?.trim()) parts.push(shorten(error.output.trimEnd()), '')
  parts.push(error.message)
  if (error.next) parts.push(`Next: ${error.next}`)
  return parts.join('\n')
}

/** @param {string} output */
function shorten(output) {
  const lines = output.split('\n')
  return lines.length <= 80 ? output : [...lines.slice(0, 40), '  …', ...lines.slice(-40)].join('\n')
}
