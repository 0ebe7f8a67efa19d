import {
  CircleHelp,
  Hourglass,
  KeyRound,
  type LucideIcon,
  PackageOpen,
  Play,
  Power,
  RotateCw,
  Sunrise,
  TriangleAlert,
  Unplug,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { WakeProgress } from '../power/WakeProgress.tsx'
import { useWaking } from '../power/wakes.store.ts'
import type { PanelAction, PanelCondition } from './condition.ts'
import { PictureAge } from './LeaseBar.tsx'
import styles from './live.module.css'

export const panelIcons: Record<PanelCondition['icon'], LucideIcon> = {
  gone: Unplug,
  off: Power,
  wait: Hourglass,
  unknown: CircleHelp,
  broken: TriangleAlert,
  install: PackageOpen,
}

const titles: Record<Exclude<PanelAction, 'none'>, string> = {
  'start-browser': 'Start browser',
  verify: 'Check again',
  'start-local': 'Start again',
  wake: 'Wake',
  'fix-credentials': 'Fix credentials',
}

const actionIcons: Record<Exclude<PanelAction, 'none'>, LucideIcon> = {
  'start-browser': Play,
  verify: RotateCw,
  'start-local': Play,
  wake: Sunrise,
  'fix-credentials': KeyRound,
}

interface LivePanelProps {
  machineId: string
  condition: PanelCondition
  pictureAt: number | null
  busy: boolean
  onAction: (action: Exclude<PanelAction, 'none'>) => void
  /** Another way on, beside the main one. */
  other?: ReactNode
}

/** What the one button of a panel says. */
export function actionTitle(condition: PanelCondition, action: Exclude<PanelAction, 'none'>): string {
  if (condition.icon === 'broken') return 'Start again'
  if (condition.icon === 'gone' && action === 'wake') return 'Wake: make a new one from its context'
  return titles[action]
}

/** Why there is no live picture, over the last one. */
export function LivePanel({ machineId, condition, pictureAt, busy, onAction, other }: LivePanelProps) {
  const Icon = panelIcons[condition.icon]
  const { action } = condition
  // Below what happened stand the last lines of the program that failed.
  const [what = '', ...output] = condition.text.split('\n')
  const waking = useWaking(machineId)
  const ActionIcon = action === 'none' ? Play : actionIcons[action]
  return (
    <Panel
      tone={condition.tone}
      icon={<Icon size={28} aria-hidden />}
      title={condition.title}
      text={what}
      note={
        <>
          {condition.since !== null && (
            <>
              {condition.action === 'start-browser' ? 'Verified' : 'Changed'} <Age at={condition.since} />
              {pictureAt !== null && '. '}
            </>
          )}
          {pictureAt !== null && <PictureAge at={pictureAt} />}
        </>
      }
      action={
        waking ? (
          <WakeProgress machineId={machineId} />
        ) : (
          action !== 'none' && (
            <>
              <Button
                variant="primary"
                icon={<ActionIcon size={15} aria-hidden />}
                busy={busy}
                data-testid={`panel-${action}`}
                onClick={() => onAction(action)}
              >
                {actionTitle(condition, action)}
              </Button>
              {other}
            </>
          )
        )
      }
    >
      {output.length > 0 && (
        <div className={styles.install}>
          <code className={styles.printed}>{output.join('\n')}</code>
          <CopyButton text={condition.text} label="Copy what happened" />
        </div>
      )}
      {condition.install !== null && (
        <div className={styles.install}>
          <code>{condition.install}</code>
          <CopyButton text={condition.install} label="Copy the command" />
        </div>
      )}
    </Panel>
  )
}
