import { Search } from 'lucide-react'
import { Input } from './Field.tsx'
import styles from './SearchField.module.css'

interface SearchFieldProps {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  testId?: string
}

/** A line to search with; Escape empties it, and once more leaves it. */
export function SearchField({ label, placeholder, value, onChange, testId }: SearchFieldProps) {
  return (
    <div className={styles.find}>
      <Search size={14} aria-hidden />
      <Input
        type="search"
        placeholder={placeholder}
        aria-label={label}
        data-testid={testId}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          if (value !== '') onChange('')
          // In a dialog the next Escape is the dialog's: it closes.
          else if (event.currentTarget.closest('[data-dialog]') !== null) return
          else event.currentTarget.blur()
          event.stopPropagation()
        }}
      />
    </div>
  )
}
