import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentSocket } from '../../shared/client/socket.ts'
import { type AgentProcess, startAgentProcess } from '../rigs/agent-process.ts'
import { type Dockerd, startDockerd } from '../rigs/dockerd.ts'

/** A Docker daemon, an agent beside it, and containers that write when told to. */
export interface LogsMachine {
  dockerd: Dockerd
  agent: AgentProcess
  /** A container that waits for `go` and then writes this many lines, as fast as it can, and `done`. */
  startWriter(lines: number, line?: string): Promise<Writer>
  /** One that writes a few thousand lines a second from its start on, until it is removed. */
  startChatter(): Promise<Writer>
  close(): Promise<void>
}

export interface Writer {
  name: string
  go(): Promise<void>
  remove(): Promise<void>
}

export async function startLogsMachine(): Promise<LogsMachine> {
  const dockerd = await startDockerd()
  await dockerd.importBusybox('writer')
  const agent = await startAgentProcess({ DOCKER_HOST: `unix://${dockerd.socketPath}` })
  let count = 0
  const start = async (script: string): Promise<Writer> => {
    const name = `writer-${++count}`
    const wait = 'while [ ! -e /go ]; do busybox usleep 10000; done'
    await dockerd.docker('run', '-d', '--network=none', '--name', name, 'writer', 'sh', '-c', `${wait}; ${script}`)
    return {
      name,
      go: async () => void (await dockerd.docker('exec', name, 'busybox', 'touch', '/go')),
      remove: async () => void (await dockerd.docker('rm', '-f', name)),
    }
  }
  return {
    dockerd,
    agent,
    startWriter(lines, line) {
      const numbers = `seq ${firstNumber} ${firstNumber + lines - 1}`
      const write = line === undefined ? numbers : `busybox yes '${line}' | busybox head -n ${lines}`
      return start(`${write}; echo done; sleep 100000`)
    },
    startChatter: () => start('while :; do seq 1000000 1000399; busybox usleep 100000; done'),
    async close() {
      await agent.stop()
      await dockerd.stop()
    },
  }
}

/** All numbers have as many digits, so that all lines are as long. */
const firstNumber = 1_000_000

export interface Count {
  lines: number
  dropped: number
  done: boolean
}

/** Subscribes to a container and counts what comes. */
export async function countLines(
  agent: AgentProcess,
  service: string,
  since?: string,
): Promise<{ socket: AgentSocket<'logs'>; count: Count; finished: Promise<void> }> {
  const socket = await agent.client.open('logs')
  const count: Count = { lines: 0, dropped: 0, done: false }
  let subscribed: () => void = () => {}
  const ready = new Promise<void>((resolve) => {
    subscribed = resolve
  })
  const finished = new Promise<void>((resolve) => {
    socket.onMessage = (message) => {
      if (message.type === 'pong') subscribed()
      if (message.type !== 'logs') return
      count.lines += message.lines.length
      count.dropped += message.dropped
      if (message.lines.at(-1)?.message !== 'done') return
      count.done = true
      resolve()
    }
  })
  socket.send({ type: 'subscribe', service, batch: true, ...(since === undefined ? {} : { since }) })
  socket.send({ type: 'ping' })
  await ready
  // The subscription itself is not acknowledged: it looks for the container first.
  await sleep(300)
  return { socket, count, finished }
}

/** Counts newlines until a chunk ends with the writer's last line. */
export function countText(stream: NodeJS.ReadableStream, lines: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = 0
    stream.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) seen++
      if (seen >= lines) resolve()
    })
    stream.on('error', reject)
    stream.on('end', () => reject(new Error(`It ended after ${seen} of ${lines} lines.`)))
  })
}
