import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { pastedLines } from './paste.ts'
import { sessionOf } from './sessions.ts'
import styles from './Terminal.module.css'
import { useTerminals } from './terminals.store.ts'

const close = () => useTerminals.setState({ paste: null })

/** Asks before several lines are pasted into a program that would run each of them at once. */
export function PasteDialog({ machine }: { machine: MachineView }) {
  const paste = useTerminals((state) => state.paste)
  const [shown, setShown] = useState(paste)
  if (paste !== null && paste !== shown) setShown(paste)
  if (shown === null) return null
  const { terminalId, text } = shown
  return (
    <Dialog
      open={paste !== null}
      onClose={close}
      title={`Paste ${pastedLines(text)} lines?`}
      description={`What runs in this terminal on ${machine.name} takes each line as if it were typed, and may run it at once.`}
    >
      <pre className={styles.pasted}>{text.slice(0, 2000)}</pre>
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button
          variant="primary"
          data-testid="paste-confirm"
          onClick={() => {
            close()
            sessionOf(terminalId)?.paste(text)
          }}
        >
          Paste
        </Button>
      </DialogActions>
    </Dialog>
  )
}
