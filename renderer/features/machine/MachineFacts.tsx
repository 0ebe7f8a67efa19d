import { type ReactNode, useEffect, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { IpcResult } from '../../../shared/ipc.ts'
import { call } from '../../app/bridge.ts'
import { Age } from '../../ui/Age.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { environmentNames, machineTypeNames } from './look.ts'
import styles from './Machine.module.css'
import { useKnown } from './useKnown.ts'

/** What the machine is, and what runs on it. */
export function MachineFacts({ machine }: { machine: MachineView }) {
  const deployed = useDeployed(machine)
  const agent =
    machine.agentVersion === null
      ? 'not known yet'
      : `${machine.agentVersion} · ${machine.compatibility ?? 'fits this console'}`
  return (
    <dl className={styles.facts}>
      <Fact term="Environment">{environmentNames[machine.environment]}</Fact>
      <Fact term="Type">{machineTypeNames[machine.machineType]}</Fact>
      {machine.power.instanceType !== null && <Fact term="Machine type">{machine.power.instanceType}</Fact>}
      {machine.provider?.kind === 'ec2' && (
        <Fact term="Instance" mono copy={machine.provider.instanceId}>
          {machine.provider.instanceId} · {machine.provider.account.region}
        </Fact>
      )}
      <Fact term="Address" mono copy={machine.address}>
        {machine.address}
      </Fact>
      <Fact term="Hostname" mono={machine.hostname !== null}>
        {machine.hostname ?? 'not known yet'}
      </Fact>
      <Fact term="System">{machine.os ?? 'not known yet'}</Fact>
      <Fact term="Agent">{agent}</Fact>
      <Fact term="Image" mono={deployed.image !== null} {...(deployed.image === null ? {} : { copy: deployed.image })}>
        {deployed.image ?? (deployed.asking ? 'being asked' : 'nothing deployed')}
      </Fact>
      {deployed.image !== null && (
        <>
          <Fact term="Commit" mono={deployed.commit?.sha != null}>
            {commitWords(deployed.commit)}
          </Fact>
          <Fact term="Deployed">
            <Age at={deployed.at} />
            {deployed.by !== null && ` by ${deployed.by}`}
          </Fact>
        </>
      )}
    </dl>
  )
}

interface FactProps {
  term: string
  mono?: boolean
  copy?: string
  children: ReactNode
}

function Fact({ term, mono = false, copy, children }: FactProps) {
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd data-mono={mono ? '' : undefined}>
        {children}
        {copy !== undefined && (
          <span className={styles.factCopy}>
            <CopyButton text={copy} label={`Copy: ${term}`} />
          </span>
        )}
      </dd>
    </div>
  )
}

type Commit = IpcResult<'known.commit'>

function commitWords(commit: Commit): string {
  if (commit === null) return 'not known: it was not deployed from this console'
  if (commit.sha === null) return 'not known: no registry said where the image comes from'
  const [title = ''] = (commit.message ?? '').split('\n')
  return [commit.sha.slice(0, 12), title].filter((part) => part !== '').join(' ')
}

/** The image that runs, and how it came there: from the machine's own deploys, and the commit from this console's. */
function useDeployed(machine: MachineView): {
  image: string | null
  at: string | null
  by: string | null
  commit: Commit
  asking: boolean
} {
  const deploys = useKnown(machine, 'deploys.list', { pageSize: 20 }, { events: ['deploy_finished'] })
  const last = deploys.value?.deploys.find(({ status }) => status === 'completed')
  const [commit, setCommit] = useState<Commit>(null)
  const { id: machineId } = machine
  const imageTag = last?.imageTag
  useEffect(() => {
    setCommit(null)
    if (imageTag === undefined) return
    let over = false
    call('known.commit', { machineId, imageTag }).then(
      (found) => !over && setCommit(found),
      () => {},
    )
    return () => {
      over = true
    }
  }, [machineId, imageTag])
  return {
    image: imageTag ?? null,
    at: last?.finishedAt ?? null,
    by: last?.operator ?? null,
    commit,
    asking: deploys.loading,
  }
}
