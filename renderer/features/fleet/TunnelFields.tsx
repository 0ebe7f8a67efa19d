import { useEffect, useId, useState } from 'react'
import type { TailscalePeers } from '../../../shared/ipc.ts'
import { call } from '../../app/bridge.ts'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from './Fleet.module.css'
import { type Mistakes, type NewMachine, tunnelNames } from './newMachine.ts'

interface TunnelFieldsProps {
  typed: NewMachine
  mistakes: Mistakes
  change: <Key extends keyof NewMachine>(key: Key, value: NewMachine[Key]) => void
}

type TextKey = 'host' | 'port' | 'sshHost' | 'sshUser' | 'sshPort' | 'remote' | 'peer'

/** How the machine is reached, and what each way needs to be told. */
export function TunnelFields({ typed, mistakes, change }: TunnelFieldsProps) {
  const text = (key: TextKey) => ({
    value: typed[key],
    onChange: (event: { target: { value: string } }) => change(key, event.target.value),
    'data-testid': `machine-${key}`,
  })
  return (
    <>
      <div className={styles.wide}>
        <Field label="Reached by">
          {(control) => (
            <Select
              {...control}
              value={typed.tunnel}
              options={tunnelNames}
              onChange={(value) => change('tunnel', value)}
            />
          )}
        </Field>
      </div>
      {typed.tunnel === 'direct' && (
        <div className={styles.address}>
          <Field label="Host" error={mistakes.host}>
            {(control) => <Input {...control} {...text('host')} placeholder="10.4.1.53" />}
          </Field>
          <Field label="Port" error={mistakes.port}>
            {(control) => <Input {...control} {...text('port')} inputMode="numeric" />}
          </Field>
        </div>
      )}
      {typed.tunnel === 'ssh' && <SshFields text={text} mistakes={mistakes} />}
      {typed.tunnel === 'tailscale' && <TailscaleFields text={text} mistakes={mistakes} />}
    </>
  )
}

type Text = (key: TextKey) => { value: string; onChange: (event: { target: { value: string } }) => void }

function SshFields({ text, mistakes }: { text: Text; mistakes: Mistakes }) {
  const [hosts, setHosts] = useState<readonly string[]>([])
  const list = useId()
  useEffect(() => {
    let wanted = true
    // Only suggestions: a configuration that cannot be read is said when the way is tried.
    call('tunnels.sshHosts', {}).then(
      (found) => wanted && setHosts(found.hosts),
      () => {},
    )
    return () => {
      wanted = false
    }
  }, [])
  return (
    <>
      <div className={styles.address}>
        <Field label="SSH host" error={mistakes.sshHost} hint="A name in your SSH configuration, or an address.">
          {(control) => <Input {...control} {...text('sshHost')} list={list} placeholder="prod-08" />}
        </Field>
        <Field label="SSH port" error={mistakes.sshPort}>
          {(control) => <Input {...control} {...text('sshPort')} inputMode="numeric" placeholder="as configured" />}
        </Field>
        <datalist id={list}>
          {hosts.map((host) => (
            <option key={host} value={host} />
          ))}
        </datalist>
      </div>
      <Field label="SSH user" error={mistakes.sshUser}>
        {(control) => <Input {...control} {...text('sshUser')} placeholder="as configured" />}
      </Field>
      <Field label="Agent’s port or socket there" error={mistakes.remote}>
        {(control) => <Input {...control} {...text('remote')} />}
      </Field>
    </>
  )
}

function TailscaleFields({ text, mistakes }: { text: Text; mistakes: Mistakes }) {
  const [tailnet, setTailnet] = useState<TailscalePeers | null>(null)
  const list = useId()
  useEffect(() => {
    let wanted = true
    call('tunnels.tailscalePeers', {}).then(
      (found) => wanted && setTailnet(found),
      () => {},
    )
    return () => {
      wanted = false
    }
  }, [])
  const hint =
    tailnet === null
      ? 'Asking Tailscale…'
      : tailnet.state === 'ready'
        ? `${tailnet.peers.filter((peer) => peer.online).length} of ${tailnet.peers.length} machines of the tailnet are online.`
        : tailnet.detail
  return (
    <div className={styles.address}>
      <Field label="Machine of the tailnet" error={mistakes.peer} hint={hint}>
        {(control) => <Input {...control} {...text('peer')} list={list} placeholder="prod-08" />}
      </Field>
      <Field label="Port" error={mistakes.port}>
        {(control) => <Input {...control} {...text('port')} inputMode="numeric" />}
      </Field>
      <datalist id={list}>
        {(tailnet?.peers ?? []).map((peer) => (
          <option key={peer.name} value={peer.name}>
            {`${peer.online ? 'online' : 'offline'} · ${peer.os} · ${peer.addresses[0] ?? ''}`}
          </option>
        ))}
      </datalist>
    </div>
  )
}
