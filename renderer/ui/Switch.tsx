import { Switch as Base } from '@base-ui/react/switch'
import styles from './Switch.module.css'

interface SwitchProps {
  id?: string
  label?: string
  checked: boolean
  onChange: (checked: boolean) => void
  testId?: string
}

/** On or off, at once. */
export function Switch({ id, label, checked, onChange, testId }: SwitchProps) {
  return (
    <Base.Root
      {...(id === undefined ? {} : { id })}
      aria-label={label}
      checked={checked}
      onCheckedChange={(next) => onChange(next)}
      className={styles.root}
      data-testid={testId}
    >
      <Base.Thumb className={styles.thumb} />
    </Base.Root>
  )
}
