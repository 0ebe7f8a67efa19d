import { ChevronsUpDown } from 'lucide-react'
import { useEffect, useState } from 'react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { Input } from '../../ui/Field.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { choose, type Pick, pickKey, useChoice } from './choices.store.ts'
import styles from './Logs.module.css'
import { type Service, servicesOf } from './services.ts'

/** More streams than this at once would only be noise. */
const maxPicks = 24

interface ServicePickerProps {
  view: string
  machines: readonly MachineView[]
}

/** Which services of which machines are in the view. */
export function ServicePicker({ view, machines }: ServicePickerProps) {
  const { picks = [] } = useChoice(view)
  const [open, setOpen] = useState(false)
  const names = [...new Set(picks.map(({ service }) => service))]
  const on = new Set(picks.map(({ machineId }) => machineId)).size
  const label = names.length === 0 ? 'Services' : names.length > 3 ? `${names.length} services` : names.join(', ')
  return (
    <Popover
      title="Services"
      align="start"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button data-testid="logs-services" className={styles.services} title={names.join(', ')}>
          <span>{machines.length > 1 ? `${label} on ${on}` : label}</span>
          <ChevronsUpDown size={14} aria-hidden />
        </Button>
      }
    >
      <Choices view={view} machines={machines} picks={picks} />
    </Popover>
  )
}

function Choices({ view, machines, picks }: ServicePickerProps & { picks: readonly Pick[] }) {
  const [services, setServices] = useState<Readonly<Record<string, readonly Service[]>>>({})
  const [typed, setTyped] = useState('')
  useEffect(() => {
    let over = false
    for (const machine of machines.slice(0, 50)) {
      const { id } = machine
      void servicesOf(id, isUp(machine)).then((found) => {
        if (!over) setServices((before) => ({ ...before, [id]: found }))
      })
    }
    return () => {
      over = true
    }
  }, [machines])
  const chosen = new Set(picks.map(pickKey))
  const toggle = (pick: Pick) => {
    const key = pickKey(pick)
    const next = chosen.has(key) ? picks.filter((other) => pickKey(other) !== key) : [...picks, pick]
    choose(view, { picks: next.slice(0, maxPicks) })
  }
  const wanted = typed.trim().toLowerCase()
  return (
    <div className={styles.choices} data-testid="logs-choices">
      <Input
        value={typed}
        placeholder="Find a service"
        aria-label="Find a service"
        onChange={(event) => setTyped(event.target.value)}
      />
      {machines.map((machine) => {
        const kept = picks.filter(({ machineId }) => machineId === machine.id)
        const found = services[machine.id]
        const extra = kept.filter(({ service }) => !found?.some(({ name }) => name === service))
        const all = [...(found ?? []), ...extra.map(({ service }) => ({ name: service, detail: '', running: false }))]
        const shown = all.filter(({ name }) => name.toLowerCase().includes(wanted))
        return (
          <fieldset key={machine.id} className={styles.group}>
            <legend>{machine.name}</legend>
            {found === undefined && <p>Asking which there are…</p>}
            {shown.map((service) => (
              <label key={service.name} className={styles.choice}>
                <input
                  type="checkbox"
                  checked={chosen.has(pickKey({ machineId: machine.id, service: service.name }))}
                  onChange={() => toggle({ machineId: machine.id, service: service.name })}
                />
                <span>{service.name}</span>
                <small>{service.detail}</small>
              </label>
            ))}
          </fieldset>
        )
      })}
      {picks.length >= maxPicks && <p>{maxPicks} services are the most in one view.</p>}
    </div>
  )
}
