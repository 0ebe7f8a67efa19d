import { Keyboard } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { backToPicture } from './backToPicture.ts'
import own from './KeysMenu.module.css'
import styles from './live.module.css'
import { functionKeys, type SpecialKey, type StickyKey, specialKeys, stickyKeys } from './screen.ts'
import type { LiveSession } from './session.ts'

interface KeysMenuProps {
  session: RefObject<LiveSession | null>
  held: readonly StickyKey[]
  /** Whether there is a picture that takes them. */
  ready: boolean
}

/** Keys that this computer keeps for itself, and modifiers that stay down while others are typed. */
export function KeysMenu({ session, held, ready }: KeysMenuProps) {
  const [open, setOpen] = useState(false)
  const leave = () => {
    const focused = backToPicture(session.current)
    // Whoever closed it by going elsewhere did not mean to leave keys pressed.
    if (session.current?.hasKeyboard === false) session.current.release()
    return focused
  }
  const send = ({ keys }: SpecialKey) => {
    session.current?.press(keys)
    setOpen(false)
  }
  return (
    <Popover
      title="Keys"
      open={open}
      onOpenChange={setOpen}
      focusAfter={leave}
      trigger={
        <Button
          variant="ghost"
          icon={<Keyboard size={15} aria-hidden />}
          aria-label="Keys"
          data-testid="special-keys"
          data-live-keys=""
          data-live-menu=""
          data-held={held.length > 0 ? '' : undefined}
          className={own.held}
        >
          <span className={styles.word}>Keys</span>
          {held.length > 0 && <span>{held.map((id) => stickyKeys.find((one) => one.id === id)?.title).join(' ')}</span>}
        </Button>
      }
    >
      <div className={own.keys} data-live-keys="">
        <h3>Keep down</h3>
        <div className={own.keyRow}>
          {stickyKeys.map(({ id, title }) => (
            <Button
              key={id}
              aria-pressed={held.includes(id)}
              disabled={!ready}
              data-testid={`hold-${id}`}
              onClick={() => session.current?.hold(id, !held.includes(id))}
            >
              {title}
            </Button>
          ))}
        </div>
        <h3>Send</h3>
        <div className={own.sentKeys}>
          {specialKeys.map((one) => (
            <Button key={one.id} disabled={!ready} data-testid={`key-${one.id}`} onClick={() => send(one)}>
              {one.title}
            </Button>
          ))}
        </div>
        <div className={own.functionKeys}>
          {functionKeys.map((one) => (
            <Button key={one.id} disabled={!ready} data-testid={`key-${one.id}`} onClick={() => send(one)}>
              {one.title}
            </Button>
          ))}
        </div>
        <p role="status" data-testid="keys-note">
          {ready
            ? 'What is kept down is let go when the picture loses the keyboard.'
            : 'Not now: keys would be lost until the picture is there again.'}
        </p>
      </div>
    </Popover>
  )
}
