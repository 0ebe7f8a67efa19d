import { MessageSquareWarning } from 'lucide-react'
import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import styles from './Inspector.module.css'
import type { PageDialog as Asked } from './session.ts'
import { whyReadOnly } from './takeOver.tsx'

const words: Readonly<Record<string, string>> = {
  alert: 'The page says',
  confirm: 'The page asks',
  prompt: 'The page asks',
  beforeunload: 'The page asks whether to be left',
}

/** A dialog of the page: until it is answered nothing else is, and everything here would seem to hang. */
export function PageDialog({ machine, dialog }: { machine: MachineView; dialog: Asked }) {
  const { type, message, suggestion } = dialog
  const [text, setText] = useState(suggestion)
  const key = `dialog:${machine.id}`
  const busy = useBusy(key)
  const why = whyReadOnly(machine)
  const answer = (accept: boolean) =>
    void work(key, 'Answering the page', async () => {
      const said = accept && type === 'prompt' ? { text } : {}
      await callAgent(machine.id, 'browser.dialog', { accept, ...said })
    })
  return (
    <form
      className={styles.dialog}
      aria-label="Dialog of the page"
      data-testid="page-dialog"
      onSubmit={(event) => {
        event.preventDefault()
        answer(true)
      }}
    >
      <p role="status">
        <MessageSquareWarning size={15} aria-hidden /> {words[type] ?? 'The page asks'}
      </p>
      {/* The page's own text: shown, never believed. */}
      {message !== '' && <pre>{message}</pre>}
      {type === 'prompt' && (
        <input
          aria-label="Answer"
          value={text}
          readOnly={why !== undefined}
          data-testid="page-dialog-text"
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {why === undefined ? (
        <div>
          {type !== 'alert' && (
            <Button variant="ghost" data-testid="page-dialog-dismiss" disabled={busy} onClick={() => answer(false)}>
              Cancel
            </Button>
          )}
          <Button type="submit" variant="primary" data-testid="page-dialog-accept" busy={busy}>
            OK
          </Button>
        </div>
      ) : (
        <p>The page does nothing else until it is answered: {why}.</p>
      )}
    </form>
  )
}
