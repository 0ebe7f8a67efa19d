import { CircleHelp, Equal, EqualNot, Minus, Plus, TriangleAlert, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { go } from '../../app/route.ts'
import { Age } from '../../ui/Age.tsx'
import { Check } from '../../ui/Check.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { type Drift, driftOf, type EnvOf, isComparable } from './drift.ts'
import styles from './Env.module.css'
import { useEnv } from './env.store.ts'
import { closeCompare, compareEnv } from './operations.ts'
import { type EnvAnswer, useEnvs } from './useEnvs.ts'

/** More columns than this nobody reads; more rows than this are searched for. */
const maxMachines = 40
const maxRows = 400

/** The same key on several machines: same, differs or missing, without a value leaving its machine. */
export function CompareEnv() {
  const comparing = useEnv((state) => state.comparing)
  return (
    <Dialog
      open={comparing !== null}
      onClose={closeCompare}
      size="full"
      title="Compare variables"
      description={
        <>
          Machines are compared by fingerprints, so no value leaves its machine. For the same reason a value cannot be
          copied from here to another machine: this console does not have it. Type it in on each machine that lacks it.
        </>
      }
    >
      {comparing !== null && (
        <Compare machineIds={comparing.slice(0, maxMachines)} left={comparing.length - maxMachines} />
      )}
    </Dialog>
  )
}

function Compare({ machineIds, left }: { machineIds: readonly string[]; left: number }) {
  const all = useFleet((state) => state.machines)
  const machines = useMemo(() => machineIds.flatMap((id) => all[id] ?? []), [machineIds, all])
  const answers = useEnvs(machines)
  const [query, setQuery] = useState('')
  const [onlyDrift, setOnlyDrift] = useState(true)
  const [chosen, setChosen] = useState(machineIds[0] ?? '')
  const envs = machines.flatMap(({ id }) => envOf(answers[id]) ?? [])
  const reference = envs.find(({ machineId }) => machineId === chosen) ?? envs[0]
  const others = envs.filter((env) => env !== reference)
  const rows = reference === undefined ? [] : driftOf(reference, others)
  const shown = rows.filter(
    ({ key, drifts }) => (drifts || !onlyDrift) && key.toLowerCase().includes(query.trim().toLowerCase()),
  )
  const strangers = reference === undefined ? [] : others.filter((env) => !isComparable(reference, env))
  const nameOf = (id: string) => all[id]?.name ?? id
  const addable = Object.fromEntries(
    Object.values(all)
      .filter(({ id }) => !machineIds.includes(id))
      .map(({ id, name }) => [id, name]),
  )
  const drifting = rows.filter(({ drifts }) => drifts).length
  return (
    <div className={styles.compare} data-testid="compare-env">
      <div className={styles.compareTools}>
        <SearchField label="Search keys" placeholder="Key" value={query} onChange={setQuery} testId="compare-search" />
        <Check checked={onlyDrift} onChange={setOnlyDrift} testId="compare-only">
          Only what differs
        </Check>
        <span className={styles.count} data-testid="compare-count">
          {rows.length === 0 || machines.length < 2 ? '' : `${drifting} of ${rows.length} keys differ`}
          {left > 0 && ` · ${left} more machines are not shown`}
        </span>
        {Object.keys(addable).length > 0 && (
          <div className={styles.addMachine}>
            <Select
              label="Add a machine to the comparison"
              value=""
              options={{ '': 'Add a machine', ...addable }}
              onChange={(id) => id !== '' && compareEnv([...machineIds, id])}
            />
          </div>
        )}
      </div>
      {strangers.length > 0 && (
        <p className={styles.warning} role="status" data-testid="compare-salt">
          <TriangleAlert size={15} aria-hidden />
          <span>
            {strangers.map(({ machineId }) => nameOf(machineId)).join(', ')}{' '}
            {strangers.length === 1 ? 'makes its' : 'make their'} fingerprints with another salt than{' '}
            {nameOf(reference?.machineId ?? '')}, so sensitive values cannot be compared. Set the same
            PILOTHOUSE_FLEET_SALT in the configuration of each agent.
          </span>
        </p>
      )}
      <div className={styles.matrix}>
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              {machines.map((machine) => (
                <MachineHead
                  key={machine.id}
                  machine={machine}
                  answer={answers[machine.id]}
                  isReference={machine.id === reference?.machineId}
                  onChoose={() => setChosen(machine.id)}
                  onLeave={() => compareEnv(machineIds.filter((id) => id !== machine.id))}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, maxRows).map((row) => (
              <tr key={row.key} data-key={row.key}>
                <th scope="row">{row.key}</th>
                {machines.map(({ id, name }) => (
                  <td key={id}>
                    <Cell drift={row.cells[id]} reference={id === reference?.machineId} name={name} id={id} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length > maxRows && <p className={styles.count}>{shown.length - maxRows} more: search for the key.</p>}
        {machines.length > 1 && rows.length > 0 && shown.length === 0 && (
          <EmptyState
            title={drifting === 0 && query === '' ? 'Nothing differs' : 'No key matches'}
            text={
              drifting === 0 && query === '' ? `All ${rows.length} keys are the same on these machines.` : undefined
            }
          />
        )}
        {machines.length < 2 && (
          <EmptyState title="One machine cannot be compared" text="Add another one with the list above." />
        )}
      </div>
    </div>
  )
}

function envOf(answer: EnvAnswer | undefined): EnvOf | undefined {
  return answer?.phase === 'known' ? answer.env : undefined
}

interface MachineHeadProps {
  machine: MachineView
  answer: EnvAnswer | undefined
  isReference: boolean
  onChoose: () => void
  onLeave: () => void
}

function MachineHead({ machine, answer, isReference, onChoose, onLeave }: MachineHeadProps) {
  return (
    <th scope="col">
      <span className={styles.machineHead}>
        <button
          type="button"
          className={styles.machineName}
          aria-pressed={isReference}
          title={isReference ? 'The others are compared with this one' : 'Compare the others with this one'}
          onClick={onChoose}
        >
          {machine.name}
        </button>
        <IconButton label={`Leave ${machine.name} out`} icon={<X size={13} aria-hidden />} onClick={onLeave} />
      </span>
      <small>
        {answer === undefined || answer.phase === 'asking' ? (
          'asking…'
        ) : answer.phase === 'unknown' ? (
          (answer.problem?.detail ?? 'never seen')
        ) : answer.env.live ? (
          isReference ? (
            'compared with'
          ) : (
            'asked just now'
          )
        ) : (
          <>
            last known <Age at={answer.at} />
          </>
        )}
      </small>
    </th>
  )
}

const looks: Record<Drift, { word: string; icon: typeof Equal }> = {
  same: { word: 'same', icon: Equal },
  differs: { word: 'differs', icon: EqualNot },
  missing: { word: 'missing', icon: Minus },
  extra: { word: 'only here', icon: Plus },
  unclear: { word: 'cannot be compared', icon: CircleHelp },
}

function Cell({
  drift,
  reference,
  name,
  id,
}: {
  drift: Drift | undefined
  reference: boolean
  name: string
  id: string
}) {
  if (drift === undefined) return <span className={styles.drift}>–</span>
  const { word, icon: Icon } = looks[drift]
  const open = () => {
    closeCompare()
    go({ screen: 'machine', machineId: id, tab: 'env' })
  }
  return (
    <button
      type="button"
      className={styles.drift}
      data-drift={reference && drift === 'same' ? 'reference' : drift}
      title={`Open the variables of ${name}`}
      onClick={open}
    >
      <Icon size={13} aria-hidden /> {reference && drift === 'same' ? 'there' : word}
    </button>
  )
}
