import { useMemo, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Input } from '../../ui/Field.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { environmentNames, machineLook } from '../machine/look.ts'
import styles from './Deploys.module.css'
import historyStyles from './History.module.css'
import formStyles from './NewDeploy.module.css'

interface MachineChoiceProps {
  machines: readonly MachineView[]
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

/** Beyond this a list is searched and not read. */
const shownRows = 150

/** Which machines: by environment, by words, one by one. */
export function MachineChoice({ machines, chosen, onChange }: MachineChoiceProps) {
  const [query, setQuery] = useState('')
  const shown = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const fits = (machine: MachineView) => {
      const text = `${machine.name} ${machine.environment} ${machine.address} ${machine.state}`.toLowerCase()
      return words.every((word) => text.includes(word))
    }
    return machines.filter(fits).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
  }, [machines, query])
  const toggle = (ids: readonly string[], on: boolean) => {
    const next = new Set(chosen)
    for (const id of ids) {
      if (on) next.add(id)
      else next.delete(id)
    }
    onChange(next)
  }
  const all = shown.length > 0 && shown.every(({ id }) => chosen.has(id))
  return (
    <fieldset className={formStyles.choice}>
      <legend className={formStyles.legend}>Machines</legend>
      <div className={formStyles.choiceTools}>
        {(Object.keys(environmentNames) as MachineView['environment'][]).map((environment) => {
          const ids = machines.filter((one) => one.environment === environment).map(({ id }) => id)
          const on = ids.length > 0 && ids.every((id) => chosen.has(id))
          return (
            <button
              key={environment}
              type="button"
              className={formStyles.chip}
              aria-pressed={on}
              disabled={ids.length === 0}
              data-testid={`choose-${environment}`}
              onClick={() => toggle(ids, !on)}
            >
              {environment} {ids.length}
            </button>
          )
        })}
        <Input
          type="search"
          className={historyStyles.search}
          placeholder="Name, address, state"
          aria-label="Search the machines"
          data-testid="choose-search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <button
          type="button"
          className={formStyles.inline}
          onClick={() =>
            toggle(
              shown.map(({ id }) => id),
              !all,
            )
          }
        >
          {all ? 'Choose none of these' : `Choose ${query === '' ? 'all' : 'these'} ${shown.length}`}
        </button>
      </div>
      <ul className={formStyles.choiceList} aria-label="Machines to choose from">
        {shown.slice(0, shownRows).map((machine) => {
          const look = machineLook(machine)
          return (
            <li key={machine.id}>
              <label className={formStyles.choiceRow}>
                <input
                  type="checkbox"
                  checked={chosen.has(machine.id)}
                  data-testid={`choose-${machine.name}`}
                  onChange={(event) => toggle([machine.id], event.target.checked)}
                />
                <StateDot {...look} />
                <span className={formStyles.choiceName}>{machine.name}</span>
                <span className={styles.quiet}>{machine.environment}</span>
                <span className={styles[look.tone]}>{look.word}</span>
              </label>
            </li>
          )
        })}
        {shown.length === 0 && <li className={formStyles.choiceNote}>No machine is called that.</li>}
        {shown.length > shownRows && (
          <li className={formStyles.choiceNote}>and {shown.length - shownRows} more: search to narrow them down.</li>
        )}
      </ul>
    </fieldset>
  )
}
