import { KeyRound, Pencil, RefreshCcw, Stethoscope } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { IpcResult } from '../../../shared/ipc.ts'
import { call } from '../../app/bridge.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { linkLook, linkOrder, linkTitles } from '../machine/look.ts'
import { verify } from '../machine/operations.ts'
import { isReachable, whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { openEdit, openSecret } from '../power/operations.ts'
import { StateStrip } from '../state/StateStrip.tsx'
import styles from './Connection.module.css'
import { rotateSecret } from './operations.ts'
import { forwardCommand, sshCommand } from './sshCommand.ts'

type Facts = IpcResult<'connection.get'>

const tunnelNames = {
  local: 'This computer: the console started the agent itself',
  direct: 'Direct, over a private network',
  ssh: 'SSH, in this console’s own process',
  tailscale: 'Tailscale, straight to the tailnet address',
} as const satisfies Record<MachineView['tunnel']['kind'], string>

/** Channels come and go; nobody needs them to the second. */
const againMs = 5000

/** How the machine is reached, link by link, and what it is reached with. */
export function ConnectionTab({ machine }: { machine: MachineView }) {
  const { facts, reload } = useFacts(machine)
  const checking = useBusy(`verify:${machine.id}`)
  const { tunnel } = machine
  const addresses = { publicIp: facts?.publicIp ?? null, privateIp: facts?.privateIp ?? null }
  const shell = sshCommand(tunnel, addresses)
  const forward = forwardCommand(tunnel)
  return (
    <div className={styles.tab} data-testid="connection-tab">
      <StateStrip machine={machine} />
      <div className={styles.cards}>
        <Card
          title="The way there"
          aside={
            <>
              {isReachable(machine) ? 'verified ' : 'last seen '}
              <Age at={machine.lastVerifiedAt} />
            </>
          }
        >
          <ol className={styles.links}>
            {linkOrder.map((name) => {
              const link = machine.links[name]
              const look = linkLook(name, link, machine)
              return (
                <li key={name} data-link={name}>
                  <StateDot {...look} />
                  <strong>{linkTitles[name]}</strong>
                  <span>
                    {look.word}
                    {link.detail !== '' && link.detail !== look.word && ` · ${link.detail}`}
                  </span>
                </li>
              )
            })}
          </ol>
          <div className={styles.actions}>
            <Button
              icon={<Stethoscope size={15} aria-hidden />}
              busy={checking}
              onClick={() => void verify(machine).then(reload)}
            >
              Health check
            </Button>
            {tunnel.kind !== 'local' && (
              <Button icon={<Pencil size={15} aria-hidden />} onClick={() => openEdit(machine)}>
                Change the way…
              </Button>
            )}
          </div>
        </Card>
        <Card title="Tunnel">
          <dl className={styles.facts}>
            <Fact term="Kind" value={tunnelNames[tunnel.kind]} />
            <Fact
              term="State"
              value={facts === null ? '…' : [...new Set([facts.tunnel.state, facts.tunnel.detail])].join(' · ')}
            />
            <Fact
              term="Latency"
              value={
                machine.roundTripMs === null
                  ? 'not measured'
                  : `${Math.max(1, Math.round(machine.roundTripMs))} ms there and back`
              }
            />
            {facts?.channels != null && <Fact term="Channels" value={`${facts.channels} on one SSH connection`} />}
            <Fact term="Address" value={machine.address} copy />
            {tunnel.kind === 'ssh' && (
              <Fact
                term="Agent at"
                value={
                  'port' in tunnel.remote ? `port ${tunnel.remote.port} of its loopback` : tunnel.remote.socketPath
                }
                copy
              />
            )}
            {addresses.publicIp !== null && <Fact term="Public IP" value={addresses.publicIp} copy />}
            {addresses.privateIp !== null && <Fact term="Private IP" value={addresses.privateIp} copy />}
            {machine.hostname !== null && <Fact term="Hostname" value={machine.hostname} copy />}
            {machine.provider?.kind === 'ec2' && <Fact term="Instance" value={machine.provider.instanceId} copy />}
            {facts?.agentId != null && <Fact term="Agent id" value={facts.agentId} copy />}
          </dl>
        </Card>
        <Card title="By hand">
          {shell === null ? (
            <p className={tab.note}>Nothing is known of SSH on this machine.</p>
          ) : (
            <Command label="A shell" command={shell} testId="ssh-command" />
          )}
          {forward !== null && <Command label="The agent on a port of this computer" command={forward} />}
        </Card>
        <SecretCard machine={machine} facts={facts} reload={reload} />
      </div>
    </div>
  )
}

function useFacts(machine: MachineView): { facts: Facts | null; reload: () => void } {
  const [facts, setFacts] = useState<Facts | null>(null)
  const machineId = machine.id
  const state = `${machine.state} ${machine.links.tunnel.state}`
  const reload = useCallback(() => {
    call('connection.get', { machineId }).then(setFacts, () => {})
  }, [machineId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new state is a reason to look again
  useEffect(() => {
    reload()
    const timer = setInterval(reload, againMs)
    return () => clearInterval(timer)
  }, [reload, state])
  return { facts, reload }
}

function Fact({ term, value, copy = false }: { term: string; value: string; copy?: boolean }) {
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd data-mono={copy ? '' : undefined}>
        {value}
        {copy && <CopyButton text={value} label={`Copy: ${term}`} />}
      </dd>
    </div>
  )
}

function Command({ label, command, testId }: { label: string; command: string; testId?: string }) {
  return (
    <div className={styles.command}>
      <span>{label}</span>
      <code data-testid={testId}>{command}</code>
      <CopyButton text={command} label={`Copy: ${label}`} />
    </div>
  )
}

function SecretCard({ machine, facts, reload }: { machine: MachineView; facts: Facts | null; reload: () => void }) {
  const busy = useBusy(`rotate:${machine.id}`)
  const why = whyNot(machine)
  if (machine.tunnel.kind === 'local')
    return (
      <Card title="Secret">
        <p className={tab.note}>The console makes the secret of this computer’s agent itself.</p>
      </Card>
    )
  return (
    <Card title="Secret">
      <p data-testid="secret-state">
        {facts === null ? (
          '…'
        ) : facts.secret.kept ? (
          <>
            Kept for this machine since <Age at={facts.secret.since} />.
          </>
        ) : (
          'Not at hand: enter it.'
        )}
        {facts?.secret.pending === true && ' A new one waits for its proof: a health check settles it.'}
      </p>
      <p className={tab.note}>
        No window ever sees a secret. A new one is made in the console’s main process, put into the keychain beside the
        old one, and takes its place once the agent has answered to it; the agent takes the old one for another 60 s.
      </p>
      <div className={styles.actions}>
        <Button
          icon={<RefreshCcw size={15} aria-hidden />}
          busy={busy}
          disabled={why !== undefined}
          title={why}
          data-testid="rotate-secret"
          onClick={() => rotateSecret(machine, reload)}
        >
          Rotate the secret…
        </Button>
        <Button icon={<KeyRound size={15} aria-hidden />} onClick={() => openSecret(machine)}>
          Enter it anew…
        </Button>
      </div>
    </Card>
  )
}
