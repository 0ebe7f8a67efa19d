import { createDecipheriv } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import WebSocket from 'ws'
import { connectVnc } from '../../agent/display/vnc-connect.ts'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { freshFolder } from '../rigs/folder.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { startProgram } from '../rigs/program.ts'
import { listeningSockets } from '../rigs/sockets.ts'
import { startXvfb } from '../rigs/xvfb.ts'
import { RfbCounter, type RfbWire } from './rfb-counter.ts'

export interface LiveViews {
  ours: RfbCounter
  direct: RfbCounter
  close(): Promise<void>
}

/** The agent's live view of a page, with control, and the same display seen without the agent. */
export async function openLiveViews(page: string): Promise<LiveViews> {
  const port = await freePort()
  const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
  try {
    const { processes } = await agent.client.call('browser.start', { url: page }, { timeoutMs: 120_000 })
    const lease = await agent.client.call('takeover.take', { operator: 'Bench', ttlMs: 900_000 })
    const url = `ws://127.0.0.1:${port}/ws/vnc?mode=control&leaseId=${lease.leaseId}`
    const ours = await RfbCounter.open(await webSocketWire(url, { authorization: `Bearer ${agent.secret}` }), false)
    const direct = await openDirect(processes, agent.dataDir)
    return {
      ours,
      direct,
      async close() {
        ours.close()
        direct.close()
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
  const xvnc = processes.filter((program) => program.name === 'Xvnc').map((program) => program.pid)
  const vncPort = Number(
    listeningSockets(xvnc)
      .find(({ kind }) => kind === 'tcp')
      ?.address.split(':')
      .at(-1),
  )
  return RfbCounter.open(await directWire(vncPort, path.join(dataDir, 'display')), true)
}

/** What people run otherwise: Chromium on Xvfb, x11vnc as it comes, websockify. */
export async function openPeerView(page: string): Promise<{ view: RfbCounter; close(): Promise<void> }> {
  const [vncPort, webPort] = [await freePort(), await freePort()]
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
  const websockify = await startProgram('websockify', [`127.0.0.1:${webPort}`, `127.0.0.1:${vncPort}`])
  await websockify.ready('websockify', () => accepts({ port: webPort }))
  const view = await RfbCounter.open(await webSocketWire(`ws://127.0.0.1:${webPort}/`), false)
  return {
    view,
    async close() {
      view.close()
      for (const program of [websockify, x11vnc, chromium]) await program.end()
      await xvfb.stop()
      remove()
    },
  }
}

async function webSocketWire(url: string, headers: Record<string, string> = {}): Promise<RfbWire> {
  const socket = new WebSocket(url, ['binary'], { headers, perMessageDeflate: false })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return {
    send: (bytes) => socket.send(bytes),
    onBytes: (listener) => socket.on('message', (data: Buffer) => listener(data)),
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
