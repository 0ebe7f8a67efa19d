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
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Panel } from '../../ui/Panel.tsx'
import type { LiveCondition, PanelAction } from './condition.ts'
import { PictureAge } from './LeaseBar.tsx'
import styles from './live.module.css'

type PanelCondition = Extract<LiveCondition, { kind: 'panel' }>

const icons: Record<PanelCondition['icon'], LucideIcon> = {
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
  condition: PanelCondition
  pictureAt: number | null
  busy: boolean
  onAction: (action: Exclude<PanelAction, 'none'>) => void
}

/** Why there is no live picture, over the last one. */
export function LivePanel({ condition, pictureAt, busy, onAction }: LivePanelProps) {
  const Icon = icons[condition.icon]
  const { action } = condition
  const ActionIcon = action === 'none' ? Play : actionIcons[action]
  return (
    <Panel
      tone={condition.tone}
      icon={<Icon size={28} aria-hidden />}
      title={condition.title}
      text={condition.text}
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
        action !== 'none' && (
          <Button
            variant="primary"
            icon={<ActionIcon size={15} aria-hidden />}
            busy={busy}
            data-testid={`panel-${action}`}
            onClick={() => onAction(action)}
          >
            {condition.icon === 'broken'
              ? 'Start again'
              : condition.icon === 'gone' && action === 'wake'
                ? 'Wake: make a new one from its context'
                : titles[action]}
          </Button>
        )
      }
    >
      {condition.install !== null && (
        <div className={styles.install}>
          <code>{condition.install}</code>
          <CopyButton text={condition.install} label="Copy the command" />
        </div>
      )}
    </Panel>
  )
}
