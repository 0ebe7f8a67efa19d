import { useEffect } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { toast } from '../../ui/Toast.tsx'
import { shortLeaseMs } from './LeaseBar.tsx'

/** Warns once per lease end, wherever the person looks, when less than a minute is left. */
export function useLeaseWarning(machine: MachineView): void {
  const expiresAt = machine.lease?.mine === true ? machine.lease.expiresAt : null
  const { name, id } = machine
  useEffect(() => {
    if (expiresAt === null) return
    const wait = Date.parse(expiresAt) - Date.now() - shortLeaseMs
    const timer = setTimeout(
      () => {
        toast({
          title: `Control of ${name} ends in a minute`,
          detail: 'Work in the picture or press Keep control, and it goes on.',
          kind: 'person',
          id: `lease:${id}`,
        })
      },
      Math.max(0, wait),
    )
    return () => clearTimeout(timer)
  }, [expiresAt, name, id])
}
