import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Settings.module.css'
import { useAnswer } from './useAnswer.ts'

const agents = { answers: 'Answers', silent: 'Does not answer', none: 'None' } as const
const tailscales = {
  ready: 'Connected',
  'not-installed': 'Not installed',
  'logged-out': 'Logged out',
  stopped: 'Turned off',
  failed: 'Does not answer',
} as const

/** How machines can be reached from this computer: SSH's own files and helpers, the tailnet, and what is open now. */
export function TunnelsSection() {
  const around = useAnswer('tunnels.surroundings')
  const tailscale = useAnswer('tunnels.tailscalePeers')
  const open = useAnswer('tunnels.diagnostics')
  const again = () => {
    void around.ask()
    void tailscale.ask()
    void open.ask()
  }
  const problem = around.problem ?? tailscale.problem ?? open.problem
  return (
    <>
      {problem !== null && <ErrorText problem={problem} />}
      <Card
        title="SSH"
        aside={
          <Button variant="ghost" icon={<RefreshCw size={14} aria-hidden />} onClick={again}>
            Look again
          </Button>
        }
      >
        {around.answer !== null && (
          <dl className={styles.facts} data-testid="ssh-surroundings">
            {around.answer.configFiles.map(({ file, found }) => (
              <Fact key={file} name="Configuration" good={found} value={found ? 'read' : 'not there'} detail={file} />
            ))}
            <Fact
              name="Hosts in it"
              value={String(around.answer.hosts)}
              detail="offered by name where a machine is added"
            />
            {shownFiles(around.answer.knownHosts).map(({ file, found, entries }) => (
              <Fact
                key={file}
                name="Known hosts"
                good={found}
                value={found ? `${entries} ${entries === 1 ? 'key' : 'keys'}` : 'not there'}
                detail={file}
              />
            ))}
            <Fact
              name="SSH agent"
              good={around.answer.sshAgent.state === 'answers'}
              value={
                around.answer.sshAgent.state === 'answers'
                  ? `${around.answer.sshAgent.keys} ${around.answer.sshAgent.keys === 1 ? 'key' : 'keys'}`
                  : agents[around.answer.sshAgent.state]
              }
              detail={around.answer.sshAgent.detail}
            />
            {open.answer !== null && (
              <Fact
                name="Ciphers"
                good={open.answer.sshNative}
                value={open.answer.sshNative ? 'Native' : 'JavaScript'}
                detail={open.answer.sshNative ? 'fast' : 'slower: many streams through one machine take more time'}
              />
            )}
          </dl>
        )}
      </Card>
      <Card title="Tailscale">
        {tailscale.answer !== null && (
          <dl className={styles.facts} data-testid="tailscale">
            <Fact
              name="State"
              good={tailscale.answer.state === 'ready'}
              value={tailscales[tailscale.answer.state]}
              detail={tailscale.answer.detail}
            />
            {tailscale.answer.state === 'ready' && (
              <Fact
                name="Peers"
                value={String(tailscale.answer.peers.length)}
                detail={`${tailscale.answer.peers.filter(({ online }) => online).length} online`}
              />
            )}
          </dl>
        )}
      </Card>
      <Card title="Open SSH connections" aside={open.answer === null ? '' : String(open.answer.connections.length)}>
        {open.answer?.connections.length === 0 && (
          <p className={styles.quiet}>None. Machines on a tailnet or a private network need no connection of SSH.</p>
        )}
        <dl className={styles.facts}>
          {open.answer?.connections.map(({ host, state, channels, detail }) => (
            <Fact
              key={host}
              name={host}
              good={state === 'up'}
              value={state}
              detail={`${channels} ${channels === 1 ? 'channel' : 'channels'}${detail === '' ? '' : `, ${detail}`}`}
            />
          ))}
        </dl>
      </Card>
    </>
  )
}

/** OpenSSH looks into four: the first is where new keys go, of the others those count that are there. */
function shownFiles<File extends { found: boolean }>(files: readonly File[]): File[] {
  return files.filter(({ found }, place) => found || place === 0)
}

interface FactProps {
  name: string
  value: ReactNode
  detail: ReactNode
  good?: boolean
}

function Fact({ name, value, detail, good }: FactProps) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd className={styles.stated}>
        {good !== undefined && <StateDot tone={good ? 'up' : 'off'} shape={good ? 'round' : 'square'} />}
        {value}
      </dd>
      <dd className={styles.path}>{detail}</dd>
    </div>
  )
}
