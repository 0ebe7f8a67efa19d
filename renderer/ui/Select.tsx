import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import { classes } from './classes.ts'
import field from './Field.module.css'
import popup from './Popup.module.css'

interface SelectProps<Value extends string> {
  id?: string
  label?: string
  value: Value
  options: Readonly<Record<Value, string>>
  onChange: (value: Value) => void
}

/** One of a few named values. */
export function Select<Value extends string>({ id, label, value, options, onChange }: SelectProps<Value>) {
  const values = Object.keys(options) as Value[]
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={(next) => {
        if (next !== null) onChange(next)
      }}
    >
      <Base.Trigger id={id} aria-label={label} className={classes(field.input, field.select)}>
        <Base.Value />
        <ChevronsUpDown size={14} aria-hidden />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={popup.positioner} alignItemWithTrigger={false} sideOffset={4}>
          <Base.Popup className={classes(popup.popup, field.options)}>
            <Base.List>
              {values.map((option) => (
                <Base.Item key={option} value={option} className={popup.item}>
                  <Base.ItemText>{options[option]}</Base.ItemText>
                  <Base.ItemIndicator className={field.check}>
                    <Check size={14} aria-hidden />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
