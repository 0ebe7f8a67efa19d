import { ChevronRight } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { Rollout } from '../../../shared/domain/rollout.ts'
import { hasEnded, type RolloutStatus, rolloutStatuses } from '../../../shared/domain/rollout-states.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Deploys.module.css'
import { useDeploys } from './deploys.store.ts'
import historyStyles from './History.module.css'
import { Legs } from './Legs.tsx'
import { rolloutLook, tagText } from './look.ts'
import { rolloutKey } from './operations.ts'
import { EndedButtons, Lasted } from './RolloutCard.tsx'

const pageSize = 50
const environmentChoices = { all: 'Every environment', dev: 'dev', staging: 'staging', prod: 'prod' } as const
type StatusChoice = 'all' | RolloutStatus
const statusChoices = Object.fromEntries([
  ['all', 'Every result'],
  ...rolloutStatuses.filter(hasEnded).map((status) => [status, rolloutLook(status).word]),
]) as Record<StatusChoice, string>

/** What was deployed, by whom, how long it took and how it ended. */
export function History() {
  const [environment, setEnvironment] = useState<keyof typeof environmentChoices>('all')
  const [status, setStatus] = useState<StatusChoice>('all')
  const [text, setText] = useState('')
  const { rollouts, more, problem, older } = useHistory(environment, status, text)
  const undone = new Set(rollouts?.map(({ rollbackOf }) => rollbackOf))
  const filtered = environment !== 'all' || status !== 'all' || text !== ''
  return (
    <section aria-labelledby="deploy-history" className={styles.part}>
      <div className={historyStyles.historyTools}>
        <h2 id="deploy-history" className={styles.heading}>
          History
        </h2>
        <SearchField
          label="Search the deploys by tag or by who"
          placeholder="Tag or name"
          testId="history-search"
          value={text}
          onChange={setText}
        />
        <div className={historyStyles.filter}>
          <Select label="Environment" value={environment} options={environmentChoices} onChange={setEnvironment} />
        </div>
        <div className={historyStyles.filter}>
          <Select label="Result" value={status} options={statusChoices} onChange={setStatus} />
        </div>
      </div>
      {problem !== null && <ErrorText problem={problem} />}
      {rollouts !== null && rollouts.length === 0 && problem === null && (
        <EmptyState
          title={filtered ? 'No deploy matches' : 'No deploys yet'}
          text={
            filtered
              ? 'Nothing was deployed like that from this console.'
              : 'What is deployed from this console will stand here, with who did it and how it ended.'
          }
        />
      )}
      {rollouts !== null && rollouts.length > 0 && (
        <div className={historyStyles.history} data-testid="deploy-history">
          <div className={historyStyles.historyHead} aria-hidden>
            {['', '', 'Tag', 'Result', 'Machines', 'Where', 'Who', 'Took', 'When'].map((title, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns stand still
              <span key={place}>{title}</span>
            ))}
          </div>
          {rollouts.map((rollout) => (
            <HistoryRow key={rollout.id} rollout={rollout} undone={undone.has(rollout.id)} />
          ))}
        </div>
      )}
      {more && <Button onClick={older}>Show older</Button>}
    </section>
  )
}

function useHistory(environment: string, status: StatusChoice, text: string) {
  const [rollouts, setRollouts] = useState<readonly Rollout[] | null>(null)
  const [more, setMore] = useState(false)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const ended = useDeploys((state) => state.ended)
  const load = useCallback(
    async (before?: number) => {
      try {
        const page = await call('deploys.history', {
          limit: pageSize,
          ...(environment === 'all' ? {} : { environment: environment as 'dev' }),
          ...(status === 'all' ? {} : { status }),
          ...(text.trim() === '' ? {} : { text: text.trim() }),
          ...(before === undefined ? {} : { before }),
        })
        setRollouts((known) => (before === undefined ? page.rollouts : [...(known ?? []), ...page.rollouts]))
        setMore(page.rollouts.length === pageSize)
        setProblem(null)
      } catch (error) {
        setProblem(problemOf(error))
      }
    },
    [environment, status, text],
  )
  // Read anew when something ends: it has become history.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ended` is the occasion, not an input
  useEffect(() => void load(), [load, ended])
  return {
    rollouts: rollouts?.filter((rollout) => hasEnded(rollout.status)) ?? null,
    more,
    problem,
    older: () => void load(rollouts?.at(-1)?.id),
  }
}

function HistoryRow({ rollout, undone }: { rollout: Rollout; undone: boolean }) {
  const [open, setOpen] = useState(false)
  const busy = useBusy(rolloutKey(rollout.id))
  const look = rolloutLook(rollout.status)
  const done = rollout.legs.filter(({ state }) => state === 'completed').length
  const where = [...new Set(rollout.legs.map((leg) => leg.environment))].join(', ')
  const [only] = rollout.legs
  return (
    <div className={historyStyles.historyItem}>
      <button
        type="button"
        className={historyStyles.historyRow}
        aria-expanded={open}
        data-testid={`history-${rollout.id}`}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={14} aria-hidden className={historyStyles.chevron} />
        <StateDot {...look} />
        <span className={styles.tag} title={rollout.tag}>
          {tagText(rollout.tag)}
          {rollout.kind === 'rollback' && <small> rollback</small>}
          {undone && <small> rolled back since</small>}
        </span>
        <span className={styles[look.tone]}>{look.word}</span>
        <span>{rollout.legs.length === 1 ? only?.name : `${done} of ${rollout.legs.length}`}</span>
        <span className={styles.quiet}>{where}</span>
        <span className={styles.quiet}>{rollout.operator}</span>
        <span className={styles.quiet}>
          <Lasted rollout={rollout} />
        </span>
        <span className={styles.quiet} title={rollout.createdAt}>
          <Age at={rollout.createdAt} />
        </span>
      </button>
      {open && (
        <div className={historyStyles.historyMore}>
          <EndedButtons rollout={rollout} busy={busy} inHistory />
          <Legs rollout={rollout} />
        </div>
      )}
    </div>
  )
}
