import type { BrowserStatus } from '../../../shared/contract/browser.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'

/** A healthy machine for tests, changed as they need it. */
export function machine(changed: Partial<MachineView> = {}, browser: Partial<BrowserStatus> = {}): MachineView {
  const up = { state: 'up', detail: '' } as const
  return {
    id: 'm1',
    name: 'prod-01',
    environment: 'prod',
    machineType: 'ssh_host',
    tunnel: { kind: 'direct', host: '10.0.0.1', port: 8000 },
    address: '10.0.0.1',
    state: 'running',
    stateSince: '2026-01-01T00:00:00.000Z',
    lastVerifiedAt: '2026-01-01T00:00:00.000Z',
    knownFrom: 'machine',
    problem: null,
    links: { laptop: up, tunnel: up, agent: up, docker: { state: 'off', detail: '' }, browser: up },
    roundTripMs: 8,
    agentVersion: '0.1.0',
    imageTag: null,
    compatibility: null,
    hostname: 'host',
    os: 'linux',
    capabilities: {},
    browser: {
      state: 'active',
      display: ':1',
      resolution: { width: 1280, height: 720, dpi: 96 },
      startedAt: '2026-01-01T00:00:00.000Z',
      cdpUrl: null,
      url: 'about:blank',
      missingDependencies: [],
      installCommand: null,
      processes: [],
      lastError: null,
      liveView: 'vnc',
      warnings: [],
      ...browser,
    },
    metrics: null,
    lease: null,
    viewers: 0,
    driver: null,
    helpWanted: false,
    provider: null,
    power: { state: 'running', at: null, problem: null, actions: ['stop'], instanceType: null, costPerHour: null },
    autoStop: { enabled: false, idleMinutes: 30, idleSince: null, stopsAt: null, keepUntil: null },
    recreated: null,
    auditWarning: null,
    ...changed,
  }
}
