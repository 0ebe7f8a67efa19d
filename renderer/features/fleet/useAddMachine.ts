import { useEffect, useRef } from 'react'
import type { IpcParams } from '../../../shared/ipc.ts'
import { call } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { show } from '../../app/ui.store.ts'
import { useStillOpen } from '../../app/useStillOpen.ts'
import { toast } from '../../ui/Toast.tsx'

/** Adds it and goes there, unless the form was closed: nobody is taken away from what they do by then. */
export async function addMachine(wish: IpcParams<'fleet.add'>, stillOpen: () => boolean): Promise<void> {
  const machine = await call('fleet.add', wish)
  const toIt = () => go({ screen: 'machine', machineId: machine.id, tab: 'live' })
  if (!stillOpen()) {
    const detail = 'It had answered before that was cancelled. Remove it if you do not want it.'
    return toast({ title: `${machine.name} is in the fleet`, detail, action: { label: 'Open it', run: toIt } })
  }
  show('none')
  toIt()
}

/** For the form: closing it, in whichever way, calls off what it asked for. */
export function useAddMachine() {
  const underWay = useRef<string | null>(null)
  const stillOpen = useStillOpen()
  useEffect(
    () => () => {
      if (underWay.current !== null) void call('fleet.addCancel', { addId: underWay.current })
    },
    [],
  )
  return async (wish: IpcParams<'fleet.add'>) => {
    const addId = crypto.randomUUID()
    underWay.current = addId
    await addMachine({ ...wish, addId }, stillOpen).finally(() => {
      underWay.current = null
    })
  }
}
