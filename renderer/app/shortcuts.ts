import type { ActionContext } from './action-kit.ts'
import { actionContext, currentActions } from './actions.ts'
import { keyMatcher } from './registry.ts'
import { useUi } from './ui.store.ts'

/** Where keys are text, or belong to a machine. */
function keysGoTo(target: EventTarget | null): 'text' | 'machine' | 'terminal' | 'recorder' | 'app' {
  if (!(target instanceof HTMLElement)) return 'app'
  if (target.matches('[data-keys=recorded]')) return 'recorder'
  if (target.closest('[data-keys=terminal]') !== null) return 'terminal'
  if (target.matches('canvas') && target.tabIndex === 0) return 'machine'
  if (target.matches('[data-machine-keys]')) return 'machine'
  if (target.matches('input, textarea, select, [contenteditable]')) return 'text'
  return 'app'
}

/** Listens for every action's keys; returns the way to stop. */
export function listenForKeys(): () => void {
  const match = keyMatcher<ActionContext>(currentActions)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return
    const place = keysGoTo(event.target)
    if (place === 'recorder') return
    const { open, confirmation } = useUi.getState()
    // A feature's own dialog stands in no store of the app's, but it is there to be seen.
    const dialogOpen =
      open !== 'none' || confirmation !== null || document.querySelector('[data-dialog]:not([data-closed])') !== null
    const modified = event.ctrlKey || event.metaKey || event.altKey
    if (place === 'text' && !modified) return
    // Every other combination means something to a shell or to a program in it.
    if (place === 'terminal' && !event.metaKey && !(event.ctrlKey && (event.altKey || event.shiftKey))) return
    const found = match(event, actionContext(), event.timeStamp, place === 'machine' || place === 'terminal')
    if (found === null || found === 'begun') return
    if (dialogOpen && found.id !== 'palette') return
    event.preventDefault()
    event.stopPropagation()
    found.run(actionContext())
  }
  // Before the live view sees them: it swallows every key it gets.
  window.addEventListener('keydown', onKeyDown, { capture: true })
  return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
}
