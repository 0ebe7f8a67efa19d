import { createDecipheriv } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import path from 'node:path'
import WebSocket from 'ws'
import { connectVnc } from '../../agent/display/vnc-connect.ts'
import { findProgram } from '../../agent/processes/find-program.ts'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { freshFolder } from '../rigs/folder.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { startProgram } from '../rigs/program.ts'
import { listeningSockets } from '../rigs/sockets.ts'
import { startXvfb } from '../rigs/xvfb.ts'
import { RfbCounter, type RfbWire } from './rfb-counter.ts'
import type { Dial } from './tunnel-ends.ts'
import { DamageView } from './x-damage.ts'

export interface LiveViews {
  ours: RfbCounter
  direct: RfbCounter
  /** Where the agent listens, and what opens its live view over any way there. */
  port: number
  openOurs(dial?: Dial): Promise<RfbCounter>
  /** The display itself, without any viewer. */
  openDamage(): Promise<DamageView>
  /** The same VNC server behind websockify. */
  openWebsockify(): Promise<RfbCounter>
  close(): Promise<void>
}

/** The agent's live view of a page, with control, and the same display seen without the agent. */
export async function openLiveViews(page: string): Promise<LiveViews> {
  const port = await freePort()
  const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
  try {
    const { processes, display } = await agent.client.call('browser.start', { url: page }, { timeoutMs: 120_000 })
    const lease = await agent.client.call('takeover.take', { operator: 'Bench', ttlMs: 900_000 })
    const url = `ws://127.0.0.1:${port}/ws/vnc?mode=control&leaseId=${lease.leaseId}`
    const opened: (() => void | Promise<void>)[] = []
    const openOurs = async (dial?: Dial) => {
      const wire = await webSocketWire(url, { headers: { authorization: `Bearer ${agent.secret}` }, dial })
      const view = await RfbCounter.open(wire, false)
      opened.push(() => view.close())
      return view
    }
    const ours = await openOurs()
    const direct = await openDirect(processes, agent.dataDir)
    opened.push(() => direct.close())
    return {
      ...{ ours, direct, port, openOurs },
      async openDamage() {
        const XAUTHORITY = path.join(agent.dataDir, 'display', 'xauthority')
        const view = await DamageView.open({ DISPLAY: display ?? '', XAUTHORITY })
        opened.push(() => view.close())
        return view
      },
      async openWebsockify() {
        const web = await startWebsockify(vncPortOf(processes))
        opened.push(() => web.end())
        const password = storedPassword(path.join(agent.dataDir, 'display', 'vnc-password'))
        const view = await RfbCounter.open(await webSocketWire(`ws://127.0.0.1:${web.port}/`), false, password)
        opened.push(() => view.close())
        return view
      },
      async close() {
        for (const close of opened.splice(0).reverse()) await close()
        await agent.stop()
      },
    }
  } catch (error) {
    await agent.stop()
    throw error
  }
}

/** The agent's own VNC server, viewed without the agent. */
export async function openDirect(
  processes: readonly { name: string; pid: number }[],
  dataDir: string,
): Promise<RfbCounter> {
  return RfbCounter.open(await directWire(vncPortOf(processes), path.join(dataDir, 'display')), true)
}

function vncPortOf(processes: readonly { name: string; pid: number }[]): number {
  const xvnc = processes.filter((program) => program.name === 'Xvnc').map((program) => program.pid)
  return Number(
    listeningSockets(xvnc)
      .find(({ kind }) => kind === 'tcp')
      ?.address.split(':')
      .at(-1),
  )
}

async function startWebsockify(vncPort: number): Promise<{ port: number; end(): Promise<void> }> {
  if (findProgram(['websockify']) === undefined)
    throw new Error('websockify is not installed, which is what this is measured against: apt-get install websockify')
  const port = await freePort()
  const websockify = await startProgram('websockify', [`127.0.0.1:${port}`, `127.0.0.1:${vncPort}`])
  await websockify.ready('websockify', () => accepts({ port }))
  return { port, end: () => websockify.end() }
}

/** What people run otherwise: Chromium on Xvfb, x11vnc as it comes, websockify; seen once someone says on which way. */
export async function openPeer(
  page: string,
): Promise<{ port: number; open(port: number): Promise<RfbCounter>; close(): Promise<void> }> {
  const vncPort = await freePort()
  const xvfb = await startXvfb('1280x720')
  const { folder, remove } = freshFolder('peer')
  const env = { ...process.env, ...xvfb.env, HOME: folder }
  const quiet = '--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync --kiosk'
  const chromium = await startProgram(
    'chromium',
    [...quiet.split(' '), '--window-size=1280,721', '--window-position=0,0', `--user-data-dir=${folder}/profile`, page],
    { env },
  )
  const x11vnc = await startProgram(
    'x11vnc',
    ['-rfbport', String(vncPort), '-localhost', '-nopw', '-forever', '-shared', '-quiet'],
    { env },
  )
  await x11vnc.ready('x11vnc', () => accepts({ port: vncPort }))
  const close = async () => {
    for (const program of [x11vnc, chromium]) await program.end()
    await xvfb.stop()
    remove()
  }
  const websockify = await startWebsockify(vncPort).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    port: websockify.port,
    open: async (port) => RfbCounter.open(await webSocketWire(`ws://127.0.0.1:${port}/`), false),
    async close() {
      await websockify.end()
      await close()
    },
  }
}

export async function webSocketWire(
  url: string,
  { headers = {}, dial }: { headers?: Record<string, string>; dial?: Dial | undefined } = {},
): Promise<RfbWire> {
  const stream = await dial?.()
  const way = stream === undefined ? {} : { createConnection: () => stream as Socket }
  const socket = new WebSocket(url, ['binary'], { headers, perMessageDeflate: false, ...way })
  // The greeting may come in the same packet as the answer to the upgrade, before anyone asks for it.
  const early: Buffer[] = []
  let take: (data: Buffer) => void = (data) => early.push(data)
  socket.on('message', (data: Buffer) => take(data))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return {
    send: (bytes) => socket.send(bytes),
    onBytes: (listener) => {
      take = listener
      for (const data of early.splice(0)) listener(data)
    },
    onEnd: (listener) => socket.on('close', listener),
    close: () => socket.terminate(),
  }
}

async function directWire(port: number, displayDir: string): Promise<RfbWire> {
  const socket = await connectVnc({ port, password: storedPassword(path.join(displayDir, 'vnc-password')) })
  return {
    send: (bytes) => socket.write(bytes),
    onBytes: (listener) => {
      socket.on('data', listener)
      socket.resume()
    },
    onEnd: (listener) => socket.on('close', listener),
    close: () => socket.destroy(),
  }
}

/** VNC's password files are obfuscated with a key that every VNC program knows. */
function storedPassword(file: string): string {
  const reversed = [23, 82, 107, 6, 35, 78, 88, 7].map((byte) =>
    Number.parseInt([...byte.toString(2).padStart(8, '0')].reverse().join(''), 2),
  )
  const decipher = createDecipheriv('des-ede3-ecb', Buffer.from([...reversed, ...reversed, ...reversed]), null)
  decipher.setAutoPadding(false)
  return Buffer.concat([decipher.update(readFileSync(file)), decipher.final()])
    .toString('latin1')
    .replace(/\0+$/, '')
}
