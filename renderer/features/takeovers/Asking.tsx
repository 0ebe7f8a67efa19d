import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Popover } from '../../ui/Popover.tsx'
import styles from './Takeovers.module.css'

interface AskingProps {
  name: string
  title: string
  icon: React.ReactNode
  label: string
  hint: string
  required?: boolean
  onSubmit: (text: string) => Promise<boolean>
}

/** A button that asks for a few words first. */
export function Asking({ name, title, icon, label, hint, required = false, onSubmit }: AskingProps) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (required && text.trim() === '') return
    if (await onSubmit(text.trim())) setOpen(false)
  }
  return (
    <Popover
      title={title}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button icon={icon} data-testid={`request-${name}`}>
          {title}…
        </Button>
      }
    >
      <form className={styles.asking} onSubmit={submit}>
        <Field label={label} hint={hint}>
          {(control) => (
            <Input
              {...control}
              value={text}
              maxLength={200}
              data-testid={`request-${name}-text`}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Button
          type="submit"
          variant="primary"
          disabled={required && text.trim() === ''}
          data-testid={`request-${name}-submit`}
        >
          {title}
        </Button>
      </form>
    </Popover>
  )
}
