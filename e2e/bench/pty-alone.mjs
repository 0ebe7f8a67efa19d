// @ts-check
import { spawn } from '@lydell/node-pty'

/** A shell on a terminal and nothing else: types a command, reads until its mark, prints the milliseconds. */
const [command = '', mark = ''] = process.argv.slice(2)
const terminal = spawn('/bin/sh', [], {
  cols: 120,
  rows: 40,
  cwd: '/',
  env: { PATH: process.env['PATH'] },
  encoding: null,
})
let began = 0
let tail = ''
const asked = setTimeout(() => {
  began = performance.now()
  terminal.write(`${command}\r`)
}, 300)
terminal.onData((data) => {
  const bytes = /** @type {Buffer} */ (/** @type {unknown} */ (data))
  tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - 2 * mark.length))).slice(-3 * mark.length)
  if (began === 0 || !tail.includes(mark)) return
  process.stdout.write(String(performance.now() - began))
  clearTimeout(asked)
  terminal.kill('SIGKILL')
  process.exit(0)
})
