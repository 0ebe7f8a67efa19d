import { useEffect } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { dismiss, toast } from '../../ui/Toast.tsx'
import { shortLeaseMs } from './LeaseBar.tsx'

/** Warns wherever the person looks when less than a minute is left, for as long as that is so. */
export function useLeaseWarning(machine: MachineView): void {
  const expiresAt = machine.lease?.mine === true ? machine.lease.expiresAt : null
  const { name, id } = machine
  useEffect(() => {
    const key = `lease:${id}`
    const left = expiresAt === null ? null : Date.parse(expiresAt) - Date.now()
    if (left === null || left > shortLeaseMs) dismiss(key)
    if (left === null) return
    const warn = () =>
      toast({
        title: `Control of ${name} ends in a minute`,
        detail: 'Work in the picture or press Keep control, and it goes on.',
        kind: 'person',
        id: key,
        forMs: Math.max(1000, Math.min(left, shortLeaseMs)),
      })
    const timer = setTimeout(warn, Math.max(0, left - shortLeaseMs))
    return () => clearTimeout(timer)
  }, [expiresAt, name, id])
}
