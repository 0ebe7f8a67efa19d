import net, { type AddressInfo } from 'node:net'
import { Transform } from 'node:stream'
import type { TestConsole } from './electron.ts'
import { until } from './until.ts'

/** A machine that a console was told of, reached over a line that a test can cut. */
export interface AddedMachine {
  id: string
  /** Ends every connection that began with this text, and takes no new ones of the kind until `mend`. */
  cut(begins: string): void
  /** Takes new connections of this kind, and lets no answer through until `mend`. */
  hold(begins: string): void
  mend(): void
  /** Control that is taken from here on lasts so long, and not the minutes that the console asks for. */
  shortLeases(ms: number): void
  stop(): Promise<void>
}

/** Tells the console of an agent, as the form does, and waits until it is heard. */
export async function addMachine(
  console: Pick<TestConsole, 'window'>,
  agent: { port: number; secret: string },
  name: string,
): Promise<AddedMachine> {
  const line = await cuttableLine(agent.port)
  const added = (await invoke(console, 'fleet.add', {
    name,
    environment: 'dev',
    machineType: 'ssh_host',
    tunnel: { kind: 'direct', host: '127.0.0.1', port: line.port },
    secret: agent.secret,
  })) as { id: string }
  await until('the machine to be heard', async () => {
    const machines = (await invoke(console, 'fleet.list', {})) as { id: string; state: string; knownFrom: string }[]
    return machines.some(
      ({ id, state, knownFrom }) => id === added.id && state === 'running' && knownFrom === 'machine',
    )
  })
  const { port: _port, ...rest } = line
  return { id: added.id, ...rest }
}

/** Asks main what a window may ask; a problem is thrown with its code. */
export async function invoke(console: Pick<TestConsole, 'window'>, name: string, params: unknown): Promise<unknown> {
  const answer = await console.window.evaluate(([call, values]) => window.pilothouse.invoke(call, values), [
    name,
    params,
  ] as const)
  if (!answer.ok) throw Object.assign(new Error(answer.problem.detail), { code: answer.problem.code })
  return answer.value
}

async function cuttableLine(to: number) {
  const open = new Map<net.Socket, string>()
  let refused: string | null = null
  let held: string | null = null
  let leaseMs: number | null = null
  const waiting = new Set<() => void>()
  const server = net.createServer((near) => {
    const far = net.connect(to, '127.0.0.1')
    open.set(near, '')
    near.once('data', (chunk: Buffer) => {
      const [line = ''] = chunk.toString('latin1').split('\r\n')
      open.set(near, line)
      if (refused !== null && line.includes(refused)) near.destroy()
    })
    // Also what is asked over a connection that was there before.
    near.on('data', (chunk: Buffer) => {
      if (held === null || !chunk.toString('latin1').includes(held)) return
      far.unpipe(near)
      waiting.add(() => far.pipe(near))
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay(true)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(near)
        other.destroy()
      })
    }
    far.pipe(near)
    const asked = new Transform({
      transform: (chunk: Buffer, _encoding, pass) => pass(null, leaseMs === null ? chunk : shortened(chunk, leaseMs)),
    })
    near.pipe(asked).pipe(far)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    cut(begins: string) {
      refused = begins
      for (const [socket, line] of open) if (line.includes(begins)) socket.destroy()
    },
    hold(begins: string) {
      held = begins
    },
    mend() {
      refused = null
      held = null
      for (const goOn of waiting) goOn()
      waiting.clear()
    },
    shortLeases(ms: number) {
      leaseMs = ms
    },
    async stop() {
      for (const socket of open.keys()) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A console asks for whole minutes. Byte for byte as long as before: its length was announced. */
function shortened(chunk: Buffer, leaseMs: number): Buffer {
  const text = chunk.toString('latin1')
  const shorter = text.replace(
    /("ttlMs":)(\d+)/,
    (_all, name: string, ms: string) => name + `${leaseMs}`.padStart(ms.length),
  )
  return Buffer.from(shorter, 'latin1')
}
