import { MessageSquareWarning } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Input } from '../../ui/Field.tsx'
import { Panel } from '../../ui/Panel.tsx'
import type { LiveClient } from './client.ts'
import { isAtWork } from './keyboard.ts'
import styles from './PageDialog.module.css'
import type { ShownDialog } from './screen.ts'

interface PageDialogProps {
  client: LiveClient
  dialog: ShownDialog
  mine: boolean
  /** Who else has control, and is the one to answer. */
  holder: string | null
  /** It is gone, and the keyboard with it. */
  onGone: () => void
}

/** A dialog of the page, where the picture is the page alone: without it the page would stand still, and nobody see why. */
export function PageDialog({ client, dialog, mine, holder, onGone }: PageDialogProps) {
  const { type, message, defaultPrompt } = dialog
  const [text, setText] = useState(defaultPrompt)
  const key = `dialog:${client.machineId}`
  const busy = useBusy(key)
  const form = useRef<HTMLFormElement>(null)
  // What is typed from now on is meant for the dialog, unless it is meant for something else of this window.
  useEffect(() => {
    if (mine && !isAtWork()) form.current?.querySelector<HTMLElement>('input, [type=submit]')?.focus()
  }, [mine])
  const gone = useRef(onGone)
  gone.current = onGone
  useEffect(() => {
    if (!mine) return
    return () => {
      if (document.activeElement === document.body) gone.current()
    }
  }, [mine])
  const answer = (accept: boolean) =>
    void work(key, 'Answering the page', async () => {
      await client.page('browser.dialog', { accept, ...(accept && type === 'prompt' ? { text } : {}) })
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    answer(true)
  }
  const leaving = type === 'beforeunload'
  const words = leaving ? 'What was changed on it may not be kept.' : message
  return (
    <Panel
      tone="person"
      icon={<MessageSquareWarning size={28} aria-hidden />}
      title={leaving ? 'Leave this page?' : `${hostOf(dialog.url)} says`}
      text={<span className={styles.words}>{words}</span>}
      note={mine ? 'The page does nothing else until it is answered.' : waitsFor(holder)}
    >
      {mine && (
        <form
          ref={form}
          className={styles.form}
          data-testid="page-dialog"
          onSubmit={submit}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            answer(type === 'alert')
          }}
        >
          {type === 'prompt' && (
            <Input
              aria-label="Answer"
              value={text}
              maxLength={10_000}
              onFocus={(event) => event.target.select()}
              onChange={(event) => setText(event.target.value)}
            />
          )}
          <div className={styles.answers}>
            <Button type="submit" variant="primary" busy={busy} data-testid="page-dialog-accept">
              {leaving ? 'Leave' : 'OK'}
            </Button>
            {type !== 'alert' && (
              <Button data-testid="page-dialog-dismiss" onClick={() => answer(false)}>
                {leaving ? 'Stay' : 'Cancel'}
              </Button>
            )}
          </div>
        </form>
      )}
    </Panel>
  )
}

function waitsFor(holder: string | null): string {
  return holder === null
    ? 'The page does nothing until it is answered. Take over to answer it.'
    : `The page does nothing until ${holder}, who has control, answers it.`
}

function hostOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : ''
  return host === '' ? 'This page' : host
}
