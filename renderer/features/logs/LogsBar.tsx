import { Clock, Download, Ellipsis, Pause, Play, WrapText } from 'lucide-react'
import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Select } from '../../ui/Select.tsx'
import { useWide } from '../../ui/useWide.ts'
import { choose, sinceOptions, useChoice } from './choices.store.ts'
import { JumpDialog } from './JumpDialog.tsx'
import { LogSearch } from './LogSearch.tsx'
import styles from './Logs.module.css'
import { download } from './operations.ts'
import { ServicePicker } from './ServicePicker.tsx'
import type { LogsSession } from './session.ts'

interface LogsBarProps {
  view: string
  machines: readonly MachineView[]
  session: LogsSession
}

/** Which lines, from when on, how loud, and what to look for. */
export function LogsBar({ view, machines, session }: LogsBarProps) {
  const { since, wrap } = useChoice(view)
  const paused = session.state((state) => state.paused)
  const saving = useBusy('logs-download')
  const wide = useWide(1560)
  const [jumping, setJumping] = useState(false)
  const words = (text: string) => (wide ? text : null)
  return (
    <div className={styles.bar}>
      <ServicePicker view={view} machines={machines} />
      <div className={styles.since}>
        <Select
          label="From when on"
          value={since}
          options={sinceOptions(since)}
          onChange={(next) => {
            session.leaveAim()
            choose(view, { since: next })
          }}
        />
      </div>
      <Levels session={session} />
      <LogSearch session={session} />
      <div className={styles.tools}>
        <Button
          icon={paused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
          aria-pressed={paused}
          aria-label={paused ? 'Go on' : 'Pause'}
          title={`${paused ? 'Go on' : 'Pause'}`}
          data-testid="logs-pause"
          onClick={() => session.pause(!paused)}
        >
          {words(paused ? 'Go on' : 'Pause')}
        </Button>
        <Button
          icon={<WrapText size={15} aria-hidden />}
          aria-pressed={wrap}
          aria-label="Wrap long lines"
          title="Wrap long lines"
          data-testid="logs-wrap"
          onClick={() => choose(view, { wrap: !wrap })}
        >
          {words('Wrap')}
        </Button>
        <Menu
          trigger={
            <Button
              icon={<Download size={15} aria-hidden />}
              busy={saving}
              aria-label="Download what is in view"
              data-testid="logs-download"
            >
              {words('Download')}
            </Button>
          }
          entries={[
            { id: 'logs-text', title: 'As text', run: () => void download(session, 'text') },
            { id: 'logs-jsonl', title: 'As JSON, one line each', run: () => void download(session, 'jsonl') },
          ]}
        />
        <Menu
          trigger={<IconButton label="More" icon={<Ellipsis size={16} aria-hidden />} data-testid="logs-more" />}
          entries={[
            {
              id: 'logs-jump',
              title: 'Jump to a time…',
              icon: <Clock size={15} aria-hidden />,
              keys: keysOf('logs.jump'),
              run: () => setJumping(true),
            },
            {
              id: 'logs-clear',
              title: 'Clear the view',
              keys: keysOf('logs.clear'),
              separated: true,
              run: () => session.post({ type: 'clear' }),
            },
          ]}
        />
      </div>
      <JumpDialog view={view} session={session} open={jumping} onOpenChange={setJumping} />
    </div>
  )
}

const chips = [
  { title: 'Debug', mask: 0b0000110, levels: [1, 2] },
  { title: 'Info', mask: 0b0001001, levels: [0, 3] },
  { title: 'Warn', mask: 0b0010000, levels: [4] },
  { title: 'Error', mask: 0b1100000, levels: [5, 6] },
] as const

/** Several can be chosen; none chosen is all. A line that states no level counts as information. */
function Levels({ session }: { session: LogsSession }) {
  const [mask, setMask] = useState(0)
  const levels = session.state((state) => state.stats?.levels)
  const set = (next: number) => {
    setMask(next)
    session.post({ type: 'levels', mask: next })
  }
  return (
    <fieldset className={styles.levels} aria-label="Levels">
      <button type="button" className={styles.chip} aria-pressed={mask === 0} onClick={() => set(0)}>
        All
      </button>
      {chips.map((chip) => {
        let count = 0
        for (const level of chip.levels) count += levels?.[level] ?? 0
        const on = (mask & chip.mask) !== 0
        const loud = chip.title === 'Warn' || chip.title === 'Error'
        return (
          <button
            key={chip.title}
            type="button"
            className={styles.chip}
            aria-pressed={on}
            title={`${count.toLocaleString('en')} lines`}
            data-testid={`logs-level-${chip.title.toLowerCase()}`}
            onClick={() => set(mask ^ chip.mask)}
          >
            {chip.title}
            {loud && count > 0 && (
              <span className={styles[`many${chip.title}`]}>
                {count > 99_999 ? `${Math.floor(count / 1000)}k` : count.toLocaleString('en')}
              </span>
            )}
          </button>
        )
      })}
    </fieldset>
  )
}
