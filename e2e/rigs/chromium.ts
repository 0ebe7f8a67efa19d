import { existsSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from './folder.ts'
import { startProgram } from './program.ts'

export interface Chromium {
  pid: number
  port: number
  /** `http://127.0.0.1:port`. */
  cdpUrl: string
  stop(): Promise<void>
}

/** Keeps Chromium from trying to reach the internet, and from asking questions. */
const quiet = [
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const program = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file)) ?? 'chromium'

/** A plain headless Chromium with its debugging port open. */
export async function startChromium(url = 'about:blank'): Promise<Chromium> {
  const { folder, remove } = freshFolder('chromium')
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await startProgram(
    program,
    [
      ...['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${path.join(folder, 'profile')}`],
      ...quiet,
      ...asRoot,
      url,
    ],
    { env: { ...process.env, HOME: folder, TMPDIR: folder } },
  )
  const stop = async () => {
    await browser.end()
    remove()
  }
  try {
    const port = await browser.ready('Chromium to say its port', () => {
      const said = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(browser.output())?.[1]
      return said === undefined ? undefined : Number(said)
    })
    const cdpUrl = `http://127.0.0.1:${port}`
    await browser.ready('Chromium to answer', async () => (await fetch(`${cdpUrl}/json/version`)).ok)
    return { pid: browser.pid, port, cdpUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
