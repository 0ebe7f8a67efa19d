import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { environmentNames, machineTypeNames } from '../machine/look.ts'
import type { Mistakes, NewMachine } from './newMachine.ts'
import { ProviderFields } from './ProviderFields.tsx'
import type { ProviderMistakes } from './providerForm.ts'
import { TunnelFields } from './TunnelFields.tsx'

interface MachineFieldsProps {
  typed: NewMachine
  mistakes: Mistakes
  wrong: ProviderMistakes
  change: <Key extends keyof NewMachine>(key: Key, value: NewMachine[Key]) => void
}

/** What is said of a machine besides its name, new or known: where it belongs, what it is and how it is reached. */
export function MachineFields({ typed, mistakes, wrong, change }: MachineFieldsProps) {
  return (
    <>
      <Field label="Environment">
        {(control) => (
          <Select
            {...control}
            value={typed.environment}
            options={environmentNames}
            onChange={(value) => change('environment', value)}
          />
        )}
      </Field>
      <Field label="Type">
        {(control) => (
          <Select
            {...control}
            value={typed.machineType}
            options={machineTypeNames}
            onChange={(value) => change('machineType', value)}
          />
        )}
      </Field>
      <ProviderFields
        kind={typed.machineType}
        typed={typed.provider}
        mistakes={wrong}
        change={(changed) => change('provider', { ...typed.provider, ...changed })}
      />
      <TunnelFields typed={typed} mistakes={mistakes} change={change} />
    </>
  )
}
