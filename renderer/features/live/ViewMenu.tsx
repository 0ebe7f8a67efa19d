import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { Select } from '../../ui/Select.tsx'
import { formatBits } from './figures.ts'
import styles from './live.module.css'
import { qualityChoices } from './quality.ts'
import type { LiveSnapshot } from './snapshot.ts'
import { choose, type Scaling, scalings, useViewChoices } from './viewChoices.ts'

interface ViewMenuProps {
  snapshot: LiveSnapshot
  mine: boolean
  display: boolean
  /** Whether the display is being filmed. */
  recorded: boolean
}

/** How the picture is shown, and what it may cost. */
export function ViewMenu({ snapshot, mine, display, recorded }: ViewMenuProps) {
  const [open, setOpen] = useState(false)
  const { scaling, quality, figures } = useViewChoices()
  // Without a display there is none to resize.
  const { resize, ...always } = scalings
  const sizes: Partial<Record<Scaling, string>> = display ? { ...always, resize } : always
  const awaited = recorded
    ? 'The display keeps its size while it is recorded.'
    : 'The display follows this window once you have control.'
  const sizeHint = scaling === 'resize' && (recorded || !mine) ? awaited : undefined
  return (
    <Popover
      title="View"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          variant="ghost"
          size="icon"
          icon={<SlidersHorizontal size={15} aria-hidden />}
          aria-label="View: size, quality, figures"
          title="View: size, quality, figures"
          data-testid="view-menu"
        />
      }
    >
      <div className={styles.giveBack}>
        <Field label="Size" hint={display ? sizeHint : 'There is no display here, only the page.'}>
          {(control) => (
            <Select
              {...control}
              value={!display && scaling === 'resize' ? 'fit' : scaling}
              options={sizes as Record<Scaling, string>}
              onChange={(next) => choose({ scaling: next })}
            />
          )}
        </Field>
        <Field
          label="Quality"
          hint={
            quality === 'auto'
              ? `Now ${qualityChoices[snapshot.quality].toLowerCase()}${snapshot.bitsPerSecond === null ? '' : `, for at least ${formatBits(snapshot.bitsPerSecond)}`}.`
              : undefined
          }
        >
          {(control) => (
            <Select
              {...control}
              value={quality}
              options={qualityChoices}
              onChange={(next) => choose({ quality: next })}
            />
          )}
        </Field>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={figures}
            data-testid="view-figures"
            onChange={(event) => choose({ figures: event.target.checked })}
          />
          Show latency, frames and data rate
        </label>
      </div>
    </Popover>
  )
}
