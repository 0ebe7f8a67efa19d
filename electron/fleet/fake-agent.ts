import type { Transport, TransportSocket } from '../../shared/client/transport.ts'
import type { CallResult } from '../../shared/contract/index.ts'
import { contractVersion } from '../../shared/contract/index.ts'
import { Problem, type ProblemCode } from '../../shared/errors.ts'

type Failure = { code: string } | Problem

/** An agent for tests, behind a real client: answers, fails and sends events as it is told. */
export class FakeAgent {
  agentId = 'agent-1'
  agentVersion = contractVersion
  browser: Partial<CallResult<'browser.status'>> = { state: 'inactive' }
  takeover: Partial<CallResult<'takeover.get'>> = {}
  /** Of the lease it gives, by its own clock. */
  leaseTimes = { takenAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-01T00:05:00.000Z' }
  /** What every call meets instead of an answer. */
  failure: Failure | undefined
  /** What every answer waits for. */
  answersAfter: Promise<void> | undefined
  eventsWork = true
  /** What keeps it from being idle. */
  openTerminals = 0
  /** What an older agent does not say. */
  health: CallResult<'machine.status'>['health']
  jobState: 'running' | 'succeeded' = 'succeeded'
  readonly calls: string[] = []
  readonly secrets = new Set<string | undefined>()
  /** What its own clock shows; an agent that is older than this does not say so with its hello. */
  time = '2026-01-01T00:00:00.000Z'
  saysTime = true
  #sockets: TransportSocket[] = []
  #seq = 0
  #told: { seq: number; text: string }[] = []

  refuse(code: ProblemCode): void {
    this.failure = new Problem(code, `refused: ${code}`)
  }

  /** As when nothing listens there any more. */
  goAway(): void {
    this.failure = { code: 'ECONNREFUSED' }
    this.dropSockets()
  }

  dropSockets(): void {
    for (const socket of this.#sockets.splice(0)) socket.onClose(1006, 'gone')
  }

  emit(type: string, data: object): void {
    const text = JSON.stringify({ seq: ++this.#seq, time: this.time, type, ...data })
    this.#told.push({ seq: this.#seq, text })
    for (const socket of this.#sockets) socket.onFrame(text)
  }

  /** As when a disk was lost, or another agent stands in its place: it counts from the beginning. */
  loseEvents(): void {
    this.#seq = 0
    this.#told = []
  }

  /** The load, as it comes by itself. */
  sendMetrics(): void {
    const text = JSON.stringify({
      type: 'metrics',
      time: '2026-01-01T00:00:00.000Z',
      metrics: this.#result('/metrics'),
    })
    for (const socket of this.#sockets) socket.onFrame(text)
  }

  transport(): Transport {
    return {
      request: async ({ method, path, headers }) => {
        this.calls.push(`${method} ${path}`)
        this.secrets.add(headers['authorization'])
        await this.answersAfter
        if (this.failure instanceof Problem) return this.#answer(this.failure.status, this.failure.toWire())
        if (this.failure !== undefined) throw Object.assign(new Error('connect failed'), this.failure)
        return this.#answer(200, this.#result(path))
      },
      socket: async (path) => {
        this.calls.push(`WS ${path}`)
        if (this.failure !== undefined) throw Object.assign(new Error('connect failed'), this.failure)
        if (!this.eventsWork) throw new Problem('unknown-route', 'no such socket')
        return this.#socket(Number(/since=(\d+)/.exec(path)?.[1] ?? this.#seq))
      },
      close: () => this.dropSockets(),
    }
  }

  #socket(since: number): TransportSocket {
    let onFrame: (data: string | Uint8Array) => void = () => {}
    const { agentId, agentVersion } = this
    const own = { agentId, agentVersion, ...(this.saysTime && { time: this.time }) }
    const hello = JSON.stringify({ type: 'hello', seq: this.#seq, oldestSeq: 0, gap: false, ...own })
    const again = this.#told.filter(({ seq }) => seq > since).map(({ text }) => text)
    const socket: TransportSocket = {
      send: () => {},
      bufferedBytes: 0,
      pause: () => {},
      resume: () => {},
      close: () => {
        this.#sockets = this.#sockets.filter((other) => other !== socket)
      },
      get onFrame() {
        return onFrame
      },
      set onFrame(handler) {
        onFrame = handler
        setImmediate(() => {
          for (const text of [hello, ...again]) handler(text)
        })
      },
      onClose: () => {},
    }
    this.#sockets.push(socket)
    return socket
  }

  #answer(status: number, body: unknown) {
    return {
      status,
      headers: { 'x-pilothouse-version': this.agentVersion },
      body: new TextEncoder().encode(JSON.stringify(body)),
    }
  }

  #result(path: string): unknown {
    switch (path) {
      case '/status':
        return {
          ...{ agentId: this.agentId, agentVersion: this.agentVersion, machineType: 'ssh_host', hostname: 'box' },
          ...{ os: { platform: 'linux', release: '6', arch: 'x64' }, docker: null, workers: 0, uptime: 1 },
          capabilities: { docker: { available: true, detail: '3 containers', install: null } },
          health: this.health,
        }
      case '/metrics':
        return {
          cpu: { usagePercent: 1, cores: 2 },
          memory: { usedMb: 1, totalMb: 2, usagePercent: 50 },
          disk: { usedGb: 1, totalGb: 2, usagePercent: 50 },
          network: { rxBytesPerSec: 0, txBytesPerSec: 0 },
        }
      case '/health':
        return {
          ...{ status: 'ok', currentDeploy: null, openTerminals: this.openTerminals },
          ...{ activeWorkers: 0, deploySafe: true, apiHealthy: true, workerStatus: 'idle', uptimeMs: 1 },
        }
      case '/workers':
        return []
      case '/v1/jobs?limit=1':
        return {
          jobs: [
            {
              ...{ id: 'job', url: 'http://x/', state: this.jobState, platform: 'unknown', startedAt: 'x' },
              ...{ endedAt: null, steps: [], error: null },
            },
          ],
        }
      case '/v1/engine':
        return {
          ...{ engine: 'none', mode: null, state: 'idle', since: null, failures: 0, lease: null, paused: null },
          ...{ cascadeLevel: null, switching: false, runId: null, refused: 0 },
        }
      case '/takeover':
        return {
          ...{ novncUrl: null, vncPort: null, websockifyPort: null, activeSession: null, lease: null, viewers: 0 },
          ...this.takeover,
        }
      case '/takeover/lease':
      case '/takeover/lease/renew':
        return {
          ...{ leaseId: 'lease-1', operator: 'ada', reason: '', ...this.leaseTimes },
          ...{ ok: true, handedBackTo: 'none', heldMs: 1 },
        }
      default:
        return {
          ...{ state: 'inactive', display: null, resolution: null, startedAt: null, cdpUrl: null, url: null },
          ...{ missingDependencies: [], installCommand: null, processes: [], lastError: null },
          ...{ liveView: 'none', warnings: [] },
          ...this.browser,
        }
    }
  }
}
