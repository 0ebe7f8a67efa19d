import { create } from 'zustand'
import type { TypedProvider } from '../features/fleet/providerForm.ts'

export interface Confirmation {
  title: string
  text: string
  action: string
  /** Must be typed before the button works: destroying names what it destroys. */
  typed?: string
  run: () => Promise<boolean>
}

interface UiState {
  open:
    | 'none'
    | 'palette'
    | 'shortcuts'
    | 'add-machine'
    | 'edit-machine'
    | 'set-secret'
    | 'auto-stop'
    | 'run-task'
    | 'discover'
    | 'enroll'
    | 'upgrade'
    | 'run-command'
  /** The machine that the open dialog is about. */
  about: string | null
  /** What a search found, for the form that adds a machine. */
  suggested: { name: string; host: string; provider: TypedProvider } | null
  confirmation: Confirmation | null
  /** The machine whose give-back form is open. */
  givingBack: string | null
  /** The live view fills the window. */
  liveFilled: boolean
}

/** What is open in this window right now. */
export const useUi = create<UiState>(() => ({
  open: 'none',
  about: null,
  suggested: null,
  confirmation: null,
  givingBack: null,
  liveFilled: false,
}))

export const show = (open: UiState['open']) => useUi.setState({ open })
export const confirm = (confirmation: Confirmation) => useUi.setState({ confirmation })
