import { Rocket, Undo2 } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { DeployRecord } from '../../../shared/contract/deploys.ts'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { call, callAgent, onIpcEvent, problemOf } from '../../app/bridge.ts'
import { useTarget } from '../../app/target.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { formatDuration } from '../../ui/time.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import type { StateLook } from '../machine/look.ts'
import { isReachable, whyNot } from '../machine/reach.ts'
import { givenUp } from '../machine/useKnown.ts'
import { StateStrip } from '../state/StateStrip.tsx'
import styles from './Deploys.module.css'
import { running, useDeploys } from './deploys.store.ts'
import historyStyles from './History.module.css'
import { plainDetail, shortDigest, tagText } from './look.ts'
import { openNewDeploy, rollBackMachine } from './operations.ts'
import { RememberedDeploys } from './RememberedDeploys.tsx'
import { RolloutCard } from './RolloutCard.tsx'

const pageSize = 50

/** What the machine itself recorded of its deploys, by whoever; and the way back. */
export function MachineDeploys({ machine }: { machine: MachineView }) {
  const { deploys, total, at, problem, more, giveUp } = useAgentDeploys(machine)
  const rollouts = useDeploys((state) => state.rollouts)
  const mine = running(rollouts).filter(({ legs }) => legs.some(({ machineId }) => machineId === machine.id))
  const up = isReachable(machine)
  const aimed = useTarget('deploys', machine.id)?.id ?? null
  return (
    <div className={styles.machineDeploys} data-testid="machine-deploys">
      <StateStrip machine={machine} />
      <Head machine={machine} deploys={deploys} />
      {mine.map((rollout) => (
        <RolloutCard key={rollout.id} rollout={rollout} />
      ))}
      {problem !== null && <ErrorText problem={problem} />}
      {(!up || problem !== null) && deploys === null && <RememberedDeploys machine={machine} />}
      {up && problem === null && deploys === null && (
        <Waiting label={`Reading the deploys of ${machine.name}`} wayOut={{ title: 'Stop waiting', run: giveUp }} />
      )}
      {deploys !== null && deploys.length === 0 && (
        <EmptyState
          icon={<Rocket size={26} aria-hidden />}
          title="Nothing was deployed here yet"
          text="The machine keeps a record of every deploy, with the digest to go back to."
        />
      )}
      {at !== null && (
        <p className={styles.quiet} data-testid="deploys-last-known">
          The machine cannot be asked. This is its own record, last known <Age at={at} />.
        </p>
      )}
      {deploys !== null && deploys.length > 0 && <AgentTable deploys={deploys} aimed={aimed} />}
      {up && deploys !== null && deploys.length < total && <Button onClick={more}>Show older</Button>}
    </div>
  )
}

function useAgentDeploys(machine: MachineView) {
  const [deploys, setDeploys] = useState<readonly DeployRecord[] | null>(null)
  const [total, setTotal] = useState(0)
  /** When the machine last said so, where it cannot be asked. */
  const [at, setAt] = useState<string | null>(null)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const up = isReachable(machine)
  const load = useCallback(
    async (page: number) => {
      try {
        const found = await callAgent(machine.id, 'deploys.list', { page, pageSize })
        setDeploys((known) => {
          if (page === 1) return found.deploys
          const ids = new Set((known ?? []).map(({ id }) => id))
          return [...(known ?? []), ...found.deploys.filter(({ id }) => !ids.has(id))]
        })
        setTotal(found.total)
        setAt(null)
        setProblem(null)
      } catch (error) {
        setProblem(problemOf(error))
      }
    },
    [machine.id],
  )
  useEffect(() => {
    if (up) return void load(1)
    let over = false
    call('known.get', { machineId: machine.id, call: 'deploys.list' }).then(
      (kept) => {
        if (over || kept === null) return
        const { deploys: last } = kept.value as CallResult<'deploys.list'>
        setAt(kept.at)
        setDeploys((known) => known ?? last)
      },
      () => {},
    )
    return () => {
      over = true
    }
  }, [up, load, machine.id])
  useEffect(() => {
    let shown = ''
    return onIpcEvent('agent.event', ({ machineId, event }) => {
      if (machineId !== machine.id) return
      const data = event as { type: string; deployId?: number; step?: string }
      // Once per step: a pull tells its progress many times a second.
      const now = `${data.type} ${data.deployId} ${data.step}`
      if (!['deploy_step', 'deploy_finished'].includes(data.type) || now === shown) return
      shown = now
      void load(1)
    })
  }, [machine.id, load])
  return {
    deploys,
    total,
    at: up ? null : at,
    problem: up ? problem : null,
    giveUp: () => setProblem(givenUp),
    more: () => void load(Math.floor((deploys?.length ?? 0) / pageSize) + 1),
  }
}

function Head({ machine, deploys }: { machine: MachineView; deploys: readonly DeployRecord[] | null }) {
  const busy = useBusy(`rollback:${machine.id}`)
  const now = deploys?.find(({ status }) => status === 'completed')
  const before = now?.previousDigest ?? null
  return (
    <div className={styles.tools}>
      {now !== undefined && (
        <span>
          {isReachable(machine) ? 'Runs' : 'Ran'} <span className={styles.tag}>{tagText(now.imageTag)}</span>{' '}
          <span className={styles.quiet}>
            {now.digest !== null && shortDigest(now.digest)} · deployed <Age at={now.finishedAt ?? now.startedAt} />
            {now.operator !== null && ` by ${now.operator}`}
          </span>
        </span>
      )}
      <span className={styles.buttons}>
        <Tooltip text={<Kbd keys={keysOf('machine.roll-back') ?? ''} />}>
          <Button
            icon={<Undo2 size={15} aria-hidden />}
            busy={busy}
            disabled={!isReachable(machine) || before === null}
            data-testid="machine-roll-back"
            onClick={() => rollBackMachine(machine, { tag: now?.previousTag ?? null, digest: before })}
          >
            {now?.previousTag == null ? 'Roll back…' : `Roll back to ${tagText(now.previousTag)}…`}
          </Button>
        </Tooltip>
        <Button
          variant={isReachable(machine) ? 'primary' : 'default'}
          icon={<Rocket size={15} aria-hidden />}
          disabled={!isReachable(machine)}
          title={whyNot(machine)}
          data-testid="machine-deploy"
          onClick={() => openNewDeploy([machine.id])}
        >
          Deploy…
        </Button>
      </span>
    </div>
  )
}

const looks: Record<string, StateLook> = {
  pending: { tone: 'off', shape: 'round', word: 'Pending', hollow: true },
  deploying: { tone: 'engine', shape: 'round', word: 'Deploying', pulsing: true },
  completed: { tone: 'up', shape: 'round', word: 'Completed' },
  failed: { tone: 'broken', shape: 'diamond', word: 'Failed' },
  rolled_back: { tone: 'broken', shape: 'diamond', word: 'Put back' },
  cancelled: { tone: 'off', shape: 'square', word: 'Cancelled' },
}

function AgentTable({ deploys, aimed }: { deploys: readonly DeployRecord[]; aimed: string | null }) {
  return (
    <table className={historyStyles.table}>
      <thead>
        <tr>
          {['', 'Tag', 'Result', 'Image', 'Before', 'Who', 'Took', 'When'].map((title, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns stand still
            <th key={place}>{title === '' ? <span className="visually-hidden">State</span> : title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {deploys.map((deploy) => (
          <AgentRow key={deploy.id} deploy={deploy} aimed={String(deploy.id) === aimed} />
        ))}
      </tbody>
    </table>
  )
}

function AgentRow({ deploy, aimed }: { deploy: DeployRecord; aimed: boolean }) {
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (aimed) row.current?.scrollIntoView({ block: 'center' })
  }, [aimed])
  const look = looks[deploy.status] ?? { tone: 'unknown', shape: 'diamond', word: deploy.status }
  const took = deploy.finishedAt === null ? undefined : Date.parse(deploy.finishedAt) - Date.parse(deploy.startedAt)
  return (
    <>
      <tr ref={row} data-testid={`agent-deploy-${deploy.id}`} data-aimed={aimed ? '' : undefined}>
        <td>
          <StateDot {...look} />
        </td>
        <td className={styles.tag} title={deploy.imageTag}>
          {tagText(deploy.imageTag)}
          {deploy.kind === 'rollback' && <small> rollback</small>}
        </td>
        <td className={styles[look.tone]}>{deploy.finishedAt === null ? `${look.word}: ${deploy.step}` : look.word}</td>
        <td className={historyStyles.digest}>{deploy.digest === null ? '—' : <Digest digest={deploy.digest} />}</td>
        <td className={historyStyles.digest}>
          {deploy.previousTag === null ? '—' : tagText(deploy.previousTag)}
          {deploy.previousDigest !== null && (
            <small title={deploy.previousDigest}> {shortDigest(deploy.previousDigest)}</small>
          )}
        </td>
        <td>{deploy.operator ?? '—'}</td>
        <td>{took === undefined ? '—' : formatDuration(took)}</td>
        <td title={deploy.startedAt}>
          <Age at={deploy.startedAt} />
        </td>
      </tr>
      {deploy.errorMessage !== null && (
        <tr className={historyStyles.errorRow}>
          <td />
          <td colSpan={7}>
            <p className={styles.why}>{plainDetail(deploy.errorMessage)}</p>
          </td>
        </tr>
      )}
    </>
  )
}

function Digest({ digest }: { digest: string }) {
  return (
    <span className={historyStyles.copyable} title={digest}>
      {shortDigest(digest)} <CopyButton text={digest} label="Copy the digest" />
    </span>
  )
}
