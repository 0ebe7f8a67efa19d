// @ts-check
import { createCipheriv, randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { SetupFailure } from './failure.mjs'
import { ended, signalGroup, start } from './run.mjs'

const readyMs = 15_000

/** @typedef {{ env: NodeJS.ProcessEnv, close: () => Promise<void> }} Display */

/** Whether windows have somewhere to appear. */
export const hasDisplay = (env = process.env) =>
  process.platform === 'darwin' || process.platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)

/** A display nobody sees, for a screenshot. @returns {Promise<Display>} */
export const startHiddenDisplay = () => startServer('Xvfb', () => ['-screen', '0', '1440x900x24'])

/**
 * A display that can be looked at over VNC, on loopback only and with a password of its own.
 * @returns {Promise<Display & { port: number, password: string }>}
 */
export async function startRemoteDisplay() {
  const port = await freePort()
  const password = randomPassword()
  const display = await startServer('Xvnc', (folder) => {
    const file = join(folder, 'passwd')
    writeFileSync(file, vncPasswordFile(password), { mode: 0o600 })
    return [
      ...['-geometry', '1440x900', '-depth', '24', '-rfbport', String(port), '-localhost', '-UseIPv6=0'],
      ...['-SecurityTypes', 'VncAuth', '-PasswordFile', file, '-AlwaysShared', '-desktop', 'Pilothouse'],
    ]
  })
  return { ...display, port, password }
}

/** How to look at a remote display, in words. @param {{ port: number, password: string }} display */
export function howToLook({ port, password }) {
  return [
    'There is no display here, so the console runs on one that can be reached over VNC:',
    `  ssh -L 5901:127.0.0.1:${port} ${userInfo().username}@${hostname()}`,
    `  then a VNC viewer at localhost:5901, password ${password}`,
    'For a picture only: npm start -- --screenshot FILE.   Ctrl-C ends the console and the display.',
  ].join('\n')
}

/**
 * Starts an X server on a free display number, with a cookie: other users of this machine cannot look in.
 * @param {string} program
 * @param {(folder: string) => string[]} args
 * @returns {Promise<Display>}
 */
async function startServer(program, args) {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-display-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const cookies = join(folder, 'Xauthority')
  writeFileSync(cookies, xauthority(randomBytes(16)), { mode: 0o600 })
  const server = start(program, ['-displayfd', '3', '-auth', cookies, '-nolisten', 'tcp', ...args(folder)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let said = ''
  server.stderr?.on('data', (text) => {
    said = (said + text).slice(-2000)
  })
  const gone = ended(server).catch((error) => {
    said += error.message
  })
  const close = async () => {
    signalGroup(server, 'SIGTERM')
    await gone
    process.removeListener('exit', removeFolder)
    removeFolder()
  }
  const number = await displayNumber(server, gone)
  if (number === undefined) {
    await close()
    throw new SetupFailure(`${program} did not start.`, { output: said, next: `try \`${program} :99\` by hand` })
  }
  return { env: { DISPLAY: `:${number}`, XAUTHORITY: cookies }, close }
}

/**
 * The server writes its number once clients may connect.
 * @param {import('node:child_process').ChildProcess} server
 * @param {Promise<unknown>} gone
 * @returns {Promise<string | undefined>}
 */
function displayNumber(server, gone) {
  return new Promise((resolve) => {
    const limit = setTimeout(() => resolve(undefined), readyMs)
    let text = ''
    server.stdio[3]?.on('data', (/** @type {Buffer} */ part) => {
      text += part
      if (text.includes('\n')) done(text.trim())
    })
    gone.then(() => done(undefined))
    const done = (/** @type {string | undefined} */ number) => {
      clearTimeout(limit)
      resolve(number)
    }
  })
}

/** One entry that is valid for any host and display number, which is not known yet. @param {Buffer} cookie */
export function xauthority(cookie) {
  const anyHost = 0xffff
  const fields = ['', '', 'MIT-MAGIC-COOKIE-1', cookie].map((field) => {
    const bytes = Buffer.from(field)
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
  })
  return Buffer.concat([Buffer.from([anyHost >> 8, anyHost & 0xff]), ...fields])
}

/**
 * What `vncpasswd -f` writes, which is in a package of its own: DES under a key every VNC program knows. It hides
 * nothing; the file's mode does.
 * @param {string} password  at most 8 characters count
 */
export function vncPasswordFile(password) {
  // Known key 23 82 107 6 35 78 88 7, each byte's bits reversed as VNC does.
  const key = Buffer.from('e84ad660c4721ae0', 'hex')
  // Plain DES is gone from OpenSSL 3; triple DES with one key three times is the same.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false)
  return cipher.update(Buffer.alloc(8).fill(password.slice(0, 8).padEnd(8, '\0'), 0, 8, 'latin1'))
}

function randomPassword() {
  // Without letters and figures that look alike, for it is typed by hand.
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
