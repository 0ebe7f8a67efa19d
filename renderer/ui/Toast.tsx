import { Toast as Base } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { Button } from './Button.tsx'
import styles from './Toast.module.css'

const manager = Base.createToastManager<Record<string, never>>()

interface ToastOptions {
  title: string
  detail?: string
  kind?: 'plain' | 'problem' | 'person'
  /** The same id replaces a toast instead of adding one. */
  id?: string
  /** How long it stands, where that is not the usual; 0 until someone closes it. */
  forMs?: number
  /** What can be done about it at once. */
  action?: { label: string; run: () => void }
}

/** Says something that happened elsewhere than under the person's eyes. */
export function toast({ title, detail, kind = 'plain', id, forMs, action }: ToastOptions): void {
  manager.add({
    title,
    description: detail,
    type: kind,
    priority: kind === 'plain' ? 'low' : 'high',
    // A problem stays until it is read.
    timeout: forMs ?? (kind === 'problem' ? 12_000 : 5_000),
    ...(id === undefined ? {} : { id }),
    ...(action === undefined ? {} : { actionProps: { children: action.label, onClick: action.run } }),
  })
}

/** Takes back what is no longer so. */
export function dismiss(id: string): void {
  manager.close(id)
}

/** Where toasts appear; once per window. */
export function Toasts() {
  return (
    <Base.Provider toastManager={manager} limit={4}>
      <Base.Portal>
        <Base.Viewport className={styles.viewport}>
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

function ToastList() {
  const { toasts } = Base.useToastManager()
  return toasts.map((item) => (
    <Base.Root key={item.id} toast={item} className={styles.toast}>
      <Base.Content className={styles.content}>
        <Base.Title className={styles.title} />
        <Base.Description className={styles.description} />
        <Base.Close className={styles.close} aria-label="Dismiss">
          <X size={14} aria-hidden />
        </Base.Close>
        {item.actionProps !== undefined && <Base.Action className={styles.action} render={<Button />} />}
      </Base.Content>
    </Base.Root>
  ))
}
