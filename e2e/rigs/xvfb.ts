import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { xauthority } from '../../resources/setup/display.mjs'
import { freshFolder } from './folder.ts'
import { startProgram } from './program.ts'

export interface Xvfb {
  pid: number
  /** `DISPLAY` and `XAUTHORITY`. */
  env: { DISPLAY: string; XAUTHORITY: string }
  stop(): Promise<void>
}

/** An X server without a screen, on a display number of its own, that only holders of its cookie can use. */
export async function startXvfb(size = '1440x900'): Promise<Xvfb> {
  const { folder, remove } = freshFolder('xvfb')
  const cookies = path.join(folder, 'Xauthority')
  writeFileSync(cookies, xauthority(randomBytes(16)), { mode: 0o600 })
  const server = await startProgram(
    'Xvfb',
    ['-displayfd', '3', '-auth', cookies, '-nolisten', 'tcp', '-screen', '0', `${size}x24`],
    { report: true },
  )
  let number = ''
  server.report?.on('data', (text: Buffer) => {
    number += text.toString()
  })
  const stop = async () => {
    await server.end()
    remove()
  }
  try {
    // It writes its number once clients may connect.
    await server.ready('Xvfb to say its display number', () => number.endsWith('\n'))
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: server.pid, env: { DISPLAY: `:${number.trim()}`, XAUTHORITY: cookies }, stop }
}
