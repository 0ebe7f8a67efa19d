import net from 'node:net'
import { chromiumArgs } from '../../agent/browser/chromium.ts'
import { startAgentProcess } from '../rigs/agent-process.ts'
import { freshFolder } from '../rigs/folder.ts'
import { accepts, freePort } from '../rigs/ports.ts'
import { type Program, startProgram } from '../rigs/program.ts'
import type { Bench } from './bench.ts'
import { webSocketWire } from './live-views.ts'
import { RfbCounter, type RfbWire } from './rfb-counter.ts'
import { atMostTimes } from './target.ts'

const size = { width: 1280, height: 720, dpi: 96 }
const page = 'data:text/html,<body style="background:teal">'
const middle = { x: 640, y: 360 }

/** By hand, without any care: an X server, a Chromium on it, and a viewer that waits for its first picture. */
async function byHand(): Promise<number> {
  const { folder, remove } = freshFolder('byhand')
  const [number, port] = [200 + Math.floor(Math.random() * 500), await freePort()]
  const programs: Program[] = []
  const began = performance.now()
  try {
    const open = ['-SecurityTypes', 'None', '-localhost', '-geometry', `${size.width}x${size.height}`, '-depth', '24']
    programs.push(await startProgram('Xvnc', [`:${number}`, ...open, '-rfbport', String(port), '-FrameRate', '240']))
    await programs[0]?.ready('Xvnc', () => accepts({ port }))
    const view = await RfbCounter.open(await tcpWire(port), false)
    // The empty display is the first picture, and not the one that is meant.
    await view.next(middle)
    const sandbox = process.getuid?.() !== 0
    const args = chromiumArgs({
      ...size,
      profileDir: `${folder}/profile`,
      url: page,
      screen: 'own',
      sandbox,
      egressPorts: undefined,
    })
    const env = { ...process.env, HOME: folder, DISPLAY: `:${number}` }
    programs.push(await startProgram('chromium', args, { env }))
    await view.next(middle)
    const taken = performance.now() - began
    view.close()
    return taken
  } finally {
    for (const program of programs.toReversed()) await program.end()
    remove()
  }
}

async function tcpWire(port: number): Promise<RfbWire> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    send: (bytes) => socket.write(bytes),
    onBytes: (listener) => socket.on('data', listener),
    onEnd: (listener) => socket.on('close', listener),
    close: () => socket.destroy(),
  }
}

/** From the call to the first picture of the browser at a viewer. */
export const browserStart: Bench = {
  name: 'browser.start',
  unit: 'ms',
  against: 'Xvnc and Chromium started by hand, until a viewer has the first picture of it',
  target: atMostTimes(1.5),
  runs: 5,
  warmups: 1,
  async open() {
    const port = await freePort()
    const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
    const headers = { authorization: `Bearer ${agent.secret}` }
    let round = 0
    return {
      async ours() {
        // A context of its own, since by hand it is a new one each time as well.
        const contextId = `bench-${round++}`
        const began = performance.now()
        await agent.client.call('browser.start', { ...size, url: page, contextId }, { timeoutMs: 60_000 })
        const wire = await webSocketWire(`ws://127.0.0.1:${port}/ws/vnc`, { headers })
        const view = await RfbCounter.open(wire, false)
        await view.next(middle)
        const taken = performance.now() - began
        view.close()
        await agent.client.call('browser.stop', {}, { timeoutMs: 60_000 })
        return taken
      },
      yardstick: byHand,
      close: () => agent.stop(),
    }
  },
}
