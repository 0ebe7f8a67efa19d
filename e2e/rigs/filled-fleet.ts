import type { Leg, Rollout } from '../../shared/domain/rollout.ts'
import { keepFleet } from './kept-fleet.ts'

/** A machine that is gone and whose tabs are full of what it last answered. */
export const goneMachine = 'gone-1'

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const digest = (letter: string) => `sha256:${letter.repeat(64)}`

const container = (name: string, state: 'running' | 'exited') => ({
  ...{ id: `${name}-0123456789ab`, name, image: 'ghosthands:2.4.1', state },
  status: state === 'running' ? 'Up 3 hours (healthy)' : 'Exited (137) 12 minutes ago',
  ports: state === 'running' ? [{ privatePort: 3100, publicPort: 3100, type: 'tcp', ip: '127.0.0.1' }] : [],
  ...{ createdAt: ago(300), labels: {} },
})

const worker = (index: number, status: string) => ({
  ...{ workerId: `worker-${index}`, containerId: `c${index}0123456789ab`, containerName: `ghosthands-worker-${index}` },
  ...{ status, activeJobs: status === 'busy' ? 1 : 0, statusPort: 3101 + index, uptime: 3_600_000 * index },
  ...{ image: 'ghosthands:2.4.1', currentJob: status === 'busy' ? 'apply-4711' : null },
})

/** One of an agent's own records of a deploy. */
export const keptDeploy = (id: number, status: string) => ({
  ...{ id, imageTag: `2.4.${id}`, digest: digest('a'), previousTag: `2.4.${id - 1}`, previousDigest: digest('b') },
  ...{ kind: 'deploy', status, step: status === 'failed' ? 'health' : 'done', operator: 'Ada' },
  ...{ startedAt: ago(60 * (4 - id)), finishedAt: ago(60 * (4 - id) - 2) },
  errorMessage: status === 'failed' ? 'ghosthands-api did not become healthy within 60 s.' : null,
})

const entry = (id: number, action: string, result: string) => ({
  ...{ id, createdAt: ago(90 - id), action, operator: id % 2 === 0 ? 'Ada' : null, peer: 'tcp 127.0.0.1' },
  ...{ requestId: `r${id}`, details: { given: ['vars'] }, result, durationMs: 12 * id, hash: 'c'.repeat(64) },
  errorMessage: result === 'failure' ? 'Someone else has control.' : null,
})

export const keptLeg = (machineId: string, name: string, batch: number, state: Leg['state']): Leg => ({
  ...{ machineId, name, environment: 'prod', batch, state, attempt: 1, tries: 0, force: false, baseline: 1 },
  ...{ agentDeployId: 2, undoes: null, previousTag: '2.4.0', previousDigest: digest('b'), digest: digest('a') },
  ...{ startedAt: ago(50), endedAt: ago(48), detail: null, historyId: null },
})

/** A deploy from this console that has ended, and not well. */
export const keptRollout = (legs: Leg[]): Rollout => ({
  ...{ id: 0, key: 'kept', kind: 'deploy', tag: '2.4.1', commit: null, status: 'failed', stoppedBy: 'failure' },
  ...{ commitMessage: null, branch: null, rollbackOf: null, legs },
  ...{ maxUnavailable: 1, onFailure: 'stop', operator: 'Ada', createdAt: ago(52), endedAt: ago(48) },
})

/** The console's data after some work: machines in several states, a deploy that failed, and what machines answered. */
export function keepFilledFleet(userData: string): void {
  const machines = [
    { id: goneMachine, name: 'shop-de-07', state: 'killed', killedReason: 'not_found', imageTag: '2.4.1' },
    { id: 'kept-2', name: 'shop-de-08', state: 'expired', imageTag: '2.4.0' },
    { id: 'kept-3', name: 'shop-fr-01', state: 'terminated', environment: 'staging', imageTag: '2.4.1' },
  ] as const
  keepFleet(userData, machines, (store) => {
    const keep = (call: string, value: unknown) => store.answers.save(goneMachine, call, ago(12), value)
    keep('containers.list', [container('ghosthands-api', 'running'), container('ghosthands-worker-1', 'exited')])
    keep('workers.list', [worker(1, 'busy'), worker(2, 'idle'), worker(3, 'draining'), worker(4, 'stopped')])
    keep('env.get', {
      ...{ vars: { API_URL: '', API_KEY: '', REGION: '' }, redactedKeys: ['API_KEY'], duplicateKeys: [] },
      fingerprints: { API_URL: 'a1b2c3d4', API_KEY: 'b2c3d4e5', REGION: 'c3d4e5f6' },
    })
    const deploys = [keptDeploy(3, 'failed'), keptDeploy(2, 'completed'), keptDeploy(1, 'rolled_back')]
    keep('deploys.list', { deploys, page: 1, pageSize: 50, total: 3 })
    const entries = [entry(3, 'set_env', 'failure'), entry(2, 'takeover', 'success'), entry(1, 'start', 'unknown')]
    keep('audit.list', { entries, page: 1, pageSize: 50, total: 3 })
    for (const [place, action] of ['add_machine', 'takeover', 'set_env'].entries())
      store.audit.record(
        { sandboxId: goneMachine, operator: 'Ada', action, details: {}, createdAt: ago(80 - place) },
        { result: place === 2 ? 'failure' : 'success', errorMessage: null, durationMs: 40 },
      )
    store.rollouts.add(
      keptRollout([
        keptLeg(goneMachine, 'shop-de-07', 1, 'completed'),
        {
          ...keptLeg('kept-2', 'shop-de-08', 2, 'failed'),
          detail: 'ghosthands-api did not become healthy within 60 s.',
        },
        { ...keptLeg('kept-3', 'shop-fr-01', 3, 'skipped'), startedAt: null, endedAt: null },
      ]),
    )
  })
}
