import { Menu as Base } from '@base-ui/react/menu'
import { Check, X } from 'lucide-react'
import styles from './FilterChip.module.css'
import popup from './Popup.module.css'

interface FilterChipProps {
  title: string
  options: Readonly<Record<string, string>>
  /** How many things each option would show; asked for while the menu is open. */
  counts?: (() => Readonly<Record<string, number>>) | undefined
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
  testId?: string
}

/** One property to narrow a list by: a quiet chip until something is chosen, then a solid one that can be taken away. */
export function FilterChip({ title, options, counts, chosen, onChange, testId }: FilterChipProps) {
  const words = chosen.map((value) => options[value] ?? value).join(', ')
  const toggle = (value: string, on: boolean) =>
    onChange(Object.keys(options).filter((key) => (key === value ? on : chosen.includes(key))))
  return (
    <span className={styles.chip} data-chosen={chosen.length > 0 ? '' : undefined}>
      <Base.Root>
        <Base.Trigger
          className={styles.button}
          data-testid={testId}
          aria-label={chosen.length === 0 ? `Filter by ${title}` : undefined}
        >
          {chosen.length === 0 ? title : `${title}: ${words}`}
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner className={popup.positioner} sideOffset={5} align="start">
            <Base.Popup className={popup.popup}>
              <Options options={options} counts={counts} chosen={chosen} onToggle={toggle} />
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
      {chosen.length > 0 && (
        <button type="button" className={styles.clear} aria-label={`Clear ${title}`} onClick={() => onChange([])}>
          <X size={13} aria-hidden />
        </button>
      )}
    </span>
  )
}

type OptionsProps = Pick<FilterChipProps, 'options' | 'counts' | 'chosen'> & {
  onToggle: (value: string, on: boolean) => void
}

function Options({ options, counts, chosen, onToggle }: OptionsProps) {
  const counted = counts?.()
  return Object.entries(options).map(([value, word]) => (
    <Base.CheckboxItem
      key={value}
      className={popup.item}
      closeOnClick={false}
      checked={chosen.includes(value)}
      data-testid={`option-${value}`}
      onCheckedChange={(on) => onToggle(value, on)}
    >
      <span className={styles.tick}>
        <Base.CheckboxItemIndicator>
          <Check size={14} aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      {word}
      {counted !== undefined && <span className={styles.count}>{counted[value] ?? 0}</span>}
    </Base.CheckboxItem>
  ))
}
