import type Docker from 'dockerode'
import { z } from 'zod'

const eventSchema = z.object({
  Action: z.string(),
  Type: z.string(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()).default({}) }),
})

/** Something that happened to a container: `start`, `die`, `rename`, `destroy`, … */
export interface DockerEvent {
  action: string
  containerId: string
  name: string
  labels: Record<string, string>
}

export interface FollowOptions {
  client: () => Promise<Docker | undefined>
  onEvent: (event: DockerEvent) => void
  /** True when the stream is open, false when it ended or could not be opened. */
  onOpen: (open: boolean) => void
}

const firstRetryMs = 250
const longestRetryMs = 5000
const maxLineChars = 1024 * 1024

/** Follows the engine's container events and, when the engine goes away, waits for it. Returns the way to stop. */
export function followEvents(options: FollowOptions): () => void {
  const stopped = new AbortController()
  void run(options, stopped.signal)
  return () => stopped.abort()
}

async function run(options: FollowOptions, signal: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs
  while (!signal.aborted) {
    const opened = await followOnce(options, signal).catch(() => false)
    if (signal.aborted) return
    options.onOpen(false)
    retryMs = opened ? firstRetryMs : Math.min(retryMs * 2, longestRetryMs)
    await pause(retryMs, signal)
  }
}

/** True when the stream was open for a while; resolves when it has ended. */
async function followOnce({ client, onEvent, onOpen }: FollowOptions, signal: AbortSignal): Promise<boolean> {
  const docker = await client()
  if (docker === undefined || signal.aborted) return false
  const stream = await docker.getEvents({ filters: { type: ['container'] }, abortSignal: signal })
  onOpen(true)
  let rest = ''
  try {
    stream.setEncoding('utf8')
    for await (const chunk of stream) {
      const lines = (rest + String(chunk)).split('\n')
      rest = (lines.pop() ?? '').slice(0, maxLineChars)
      for (const line of lines) report(line, onEvent)
    }
  } catch {
    // The engine stopped in the middle of a line, or we did.
  }
  return true
}

function report(line: string, onEvent: (event: DockerEvent) => void): void {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return
  }
  const event = eventSchema.safeParse(value)
  if (!event.success || event.data.Type !== 'container') return
  const { ID, Attributes } = event.data.Actor
  onEvent({ action: event.data.Action, containerId: ID, name: Attributes['name'] ?? '', labels: Attributes })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    timer.unref()
    signal.addEventListener('abort', done)
  })
}
