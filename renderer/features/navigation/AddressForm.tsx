import { ArrowLeft, ArrowRight, CircleStop, RotateCw } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/Toast.tsx'
import styles from './Navigation.module.css'
import { shownAddress } from './shownAddress.ts'
import { typedAddress } from './typedAddress.ts'

interface AddressFormProps {
  /** Stands before the test ids. */
  id: string
  /** Where the page is; null when there is none. */
  url: string | null
  /** Whether this person may lead the page elsewhere now. */
  may: boolean
  /** Why not, whatever else is the matter; undefined for whoever has control. */
  why: string | undefined
  going: boolean
  onGo: (url: string) => void
  onBack: () => void
  onForward: () => void
  onReload: (pastCache: boolean) => void
  /** Where what is loading can be given up. */
  onStop?: () => void
  children?: ReactNode
}

/** Where the page is, and the ways to another one. Reading is for everyone; going anywhere is for whoever has control. */
export function AddressForm(props: AddressFormProps) {
  const { id, url, may, why, going, onGo, onBack, onForward, onReload, onStop, children } = props
  const [typed, setTyped] = useState<string | null>(null)
  const label = (title: string) => (why === undefined ? title : `${title}: ${why}`)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed === null || !may) return
    const address = typedAddress(typed)
    if (address === null) {
      const detail = 'Type one such as example.org/page.'
      toast({ title: 'That is not an address', detail, kind: 'problem', id: 'go' })
      return
    }
    ;(document.activeElement as HTMLElement | null)?.blur()
    setTyped(null)
    onGo(address)
  }
  return (
    <form className={styles.address} onSubmit={submit} aria-label="Navigation">
      <IconButton
        label={label('Back')}
        icon={<ArrowLeft size={15} aria-hidden />}
        disabled={!may || going}
        data-testid={`${id}-back`}
        onClick={onBack}
      />
      <IconButton
        label={label('Forward')}
        icon={<ArrowRight size={15} aria-hidden />}
        disabled={!may || going}
        data-testid={`${id}-forward`}
        onClick={onForward}
      />
      {going && onStop !== undefined ? (
        <IconButton
          label={label('Stop loading')}
          icon={<CircleStop size={14} aria-hidden />}
          disabled={why !== undefined}
          data-testid={`${id}-stop`}
          onClick={onStop}
        />
      ) : (
        <IconButton
          label={label('Reload; with Shift past the cache')}
          icon={<RotateCw size={14} aria-hidden />}
          busy={going}
          disabled={!may}
          data-testid={`${id}-reload`}
          onClick={(event) => onReload(event.shiftKey)}
        />
      )}
      <input
        className={styles.url}
        aria-label="Address of the page"
        data-testid={`${id}-url`}
        readOnly={!may}
        spellCheck={false}
        autoComplete="off"
        value={typed ?? shownAddress(url)}
        onFocus={(event) => {
          if (!may) return
          setTyped(url ?? '')
          const field = event.currentTarget
          requestAnimationFrame(() => field.select())
        }}
        onBlur={() => setTyped(null)}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          event.currentTarget.blur()
        }}
      />
      {children}
    </form>
  )
}
