import { Bot, Check, ChevronDown, Circle, CircleDot, Hand, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { formatSpan, formatWhen } from '../../ui/time.ts'
import { type SeenEvent, useTimeline } from '../live/timeline.store.ts'
import { type CascadeLevel, cascadeView } from './cascade.ts'
import styles from './Engine.module.css'
import { EngineDetails } from './EngineDetails.tsx'
import { driverTitle, type EngineState, useEngine, useEngineConfig, useFirsts } from './engine.store.ts'
import { releaseEngine, switchKey } from './operations.ts'
import { SwitchEngine } from './SwitchEngine.tsx'

const none: readonly SeenEvent[] = []

/** Who drives, how far the cascade is, and the ways to change it. */
export function EngineCard({ machine }: { machine: MachineView }) {
  const state = useEngine(machine.id)
  const config = useEngineConfig(machine.id)
  const firsts = useFirsts(machine.id)
  const events = useTimeline((seen) => seen.events[machine.id] ?? none)
  const busy = useBusy(switchKey(machine))
  const [open, setOpen] = useState<'none' | 'switch' | 'details'>('none')
  if (machine.state !== 'running' || state === null) return null
  const cascade = config === null ? null : cascadeView(config, state, events, firsts)
  const connected = state.engine !== 'none' && state.engine !== 'human'
  return (
    <Card
      title="Engine"
      className={styles.card}
      data-testid="engine-card"
      aside={
        cascade !== null &&
        [cascade.platform === 'unknown' ? null : cascade.platform, `${formatSpan(cascade.totalMs)} in all`]
          .filter((word) => word !== null)
          .join(' · ')
      }
    >
      <Driver state={state} machine={machine} busy={busy} />
      {cascade !== null && (
        <ol className={styles.levels} aria-label="Cascade">
          {cascade.levels.map((level) => (
            <Level key={`${level.engine}/${level.mode}`} level={level} machine={machine} />
          ))}
        </ol>
      )}
      <div className={styles.actions}>
        <Button
          busy={busy}
          disabled={machine.browser?.state !== 'active' || machine.lease !== null}
          title={machine.lease === null ? undefined : 'Give control back to an engine with Give back'}
          data-testid="engine-switch"
          onClick={() => setOpen('switch')}
        >
          Switch to…
        </Button>
        <Menu
          trigger={
            <Button variant="ghost" aria-label="More about the engine" data-testid="engine-more">
              More <ChevronDown size={14} aria-hidden />
            </Button>
          }
          entries={[
            { id: 'engine-details', title: 'Switches, success rates, pins…', run: () => setOpen('details') },
            ...(connected
              ? [
                  {
                    id: 'engine-release',
                    title: 'Release the engine',
                    separated: true,
                    run: () => void releaseEngine(machine, false),
                  },
                ]
              : []),
            {
              id: 'engine-force',
              title: 'Release by force…',
              danger: true,
              separated: !connected,
              run: () => void releaseEngine(machine, true),
            },
          ]}
        />
      </div>
      <SwitchEngine machine={machine} state={state} open={open === 'switch'} onClose={() => setOpen('none')} />
      <EngineDetails machine={machine} open={open === 'details'} onClose={() => setOpen('none')} />
    </Card>
  )
}

function Driver({ state, machine, busy }: { state: EngineState; machine: MachineView; busy: boolean }) {
  const person = state.engine === 'human'
  const nobody = state.engine === 'none'
  const failures = state.failures === 0 ? null : `${state.failures} failure${state.failures === 1 ? '' : 's'} in a row`
  return (
    <div
      className={styles.driver}
      data-testid="engine-driver"
      data-engine={state.engine}
      data-mode={state.mode ?? undefined}
    >
      <span className={styles.sign} data-tone={person ? 'person' : nobody ? undefined : 'engine'}>
        {person ? <Hand size={14} aria-hidden /> : <Bot size={14} aria-hidden />}
      </span>
      <span>
        <b data-tone={person ? 'person' : nobody ? undefined : 'engine'}>
          {person ? (machine.lease?.mine === true ? 'You' : (state.lease?.operator ?? 'A person')) : driverTitle(state)}
        </b>
        <small>
          {busy || state.switching ? (
            'changing…'
          ) : nobody ? (
            'no engine is connected'
          ) : (
            <>
              {state.since !== null && (
                <>
                  since <time dateTime={state.since}>{formatWhen(state.since)}</time>
                </>
              )}
              {failures !== null && ` · ${failures}`}
              {person && state.paused !== null && ` · ${driverTitle(state.paused)} waits`}
            </>
          )}
        </small>
      </span>
    </div>
  )
}

const marks: Record<CascadeLevel['mark'], { icon: ReactNode; word: string }> = {
  waiting: { icon: <Circle size={14} aria-hidden />, word: 'not tried' },
  current: { icon: <CircleDot size={14} aria-hidden />, word: 'at work' },
  failed: { icon: <X size={14} aria-hidden />, word: 'failed' },
  done: { icon: <Check size={14} aria-hidden />, word: 'done' },
}

function Level({ level, machine }: { level: CascadeLevel; machine: MachineView }) {
  const human = level.engine === 'human'
  const title = human ? (machine.lease?.mine === true ? 'You' : 'A person') : driverTitle(level)
  const most = level.retries + 1
  const tries = level.tries === 0 ? `${most}` : `${level.tries} of ${most}`
  const span = formatSpan(level.timeMs)
  return (
    <li className={styles.level} data-mark={level.mark} data-human={human ? '' : undefined}>
      <span className={styles.mark}>{marks[level.mark].icon}</span>
      <span>
        {title}
        <small>
          {human
            ? `${most === 1 ? 'asked once' : most === 2 ? 'asked twice' : `asked ${most} times`}, ${span}${most === 1 ? '' : ' each'}`
            : `${tries} ${most === 1 ? 'try' : 'tries'}, ${span}${most === 1 ? '' : ' each'}`}
          <span className="visually-hidden">, {marks[level.mark].word}</span>
        </small>
      </span>
    </li>
  )
}
