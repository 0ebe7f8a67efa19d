import { useEffect } from 'react'
import { create } from 'zustand'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useUi } from '../../app/ui.store.ts'

interface Note {
  text: string
  /** When the control began in which it was written. */
  takenAt: string
}

/** What was written in a give-back form and not yet sent, by machine: control may end before the form does. */
const useNotes = create<{ notes: Readonly<Record<string, Note>> }>(() => ({ notes: {} }))

function close(machineId: string): void {
  if (useUi.getState().givingBack === machineId) useUi.setState({ givingBack: null })
}

function keepNote(machineId: string, text: string, takenAt: string): void {
  useNotes.setState(({ notes: { [machineId]: _before, ...notes } }) => ({
    notes: text === '' ? notes : { ...notes, [machineId]: { text, takenAt } },
  }))
}

/** The give-back form of a machine. It closes when control is lost or the view is left; what was written stays. */
export function useGivingBack({ id, lease }: Pick<MachineView, 'id' | 'lease'>) {
  const takenAt = lease?.mine === true ? lease.takenAt : null
  const open = useUi((state) => state.givingBack === id)
  const note = useNotes((state) => state.notes[id])
  useEffect(() => {
    if (takenAt === null) close(id)
    return () => close(id)
  }, [id, takenAt])
  return {
    open: open && takenAt !== null,
    onOpenChange: (next: boolean) => useUi.setState({ givingBack: next ? id : null }),
    note: note?.text ?? '',
    /** The note is from a time in control that ended without it. */
    unsent: note !== undefined && takenAt !== null && note.takenAt !== takenAt,
    onNote: (text: string) => keepNote(id, text, takenAt ?? ''),
  }
}
