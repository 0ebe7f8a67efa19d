import { CircleCheck, Plug, RefreshCw } from 'lucide-react'
import type { CallResult } from '../../../../shared/contract/index.ts'
import { callAgent } from '../../../app/bridge.ts'
import { confirm } from '../../../app/ui.store.ts'
import { useBusy, work } from '../../../app/work.ts'
import { Age } from '../../../ui/Age.tsx'
import { StateBadge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { ErrorText } from '../../../ui/ErrorText.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { isReachable } from '../../machine/reach.ts'
import type { PanelProps } from '../panels.tsx'
import tools from '../tools.module.css'
import { useAnswer } from '../useAnswer.ts'
import styles from './Diagnostics.module.css'
import { browserLook, factsOf, type Status } from './facts.ts'

type Client = CallResult<'cdp.clients'>['clients'][number]

/** How long a client that is asked to leave may take. */
const graceMs = 10_000

/** How the browser is: what runs, what went wrong, what is missing, and who is connected to it. */
export function DiagnosticsPanel({ machine }: PanelProps) {
  const when = isReachable(machine)
  const status = useAnswer(machine.id, 'browser.status', {}, { when, everyMs: 5000, again: machine.browser?.state })
  const clients = useAnswer(machine.id, 'cdp.clients', {}, { when, everyMs: 5000, again: machine.browser?.state })
  const shown = status.value ?? machine.browser
  const reload = () => Promise.all([status.reload(), clients.reload()])
  const problem = status.problem ?? clients.problem
  return (
    <div className={tools.panel} data-testid="diagnostics-panel">
      <div className={tools.bar}>
        {shown !== null && <StateBadge look={browserLook(shown.state)}>{browserLook(shown.state).word}</StateBadge>}
        {shown?.startedAt != null && (
          <span className={tools.why}>
            started <Age at={shown.startedAt} />
          </span>
        )}
        <span className={tools.end}>
          {shown !== null && <CopyButton text={JSON.stringify(shown, null, 2)} label="Copy all of it" wordy />}
          <IconButton
            label="Look again"
            icon={<RefreshCw size={14} aria-hidden />}
            busy={status.asking && status.value !== null}
            onClick={() => void reload()}
          />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.cards} tabIndex={0} aria-label="Diagnostics of the browser">
        {problem !== null && <ErrorText problem={problem} />}
        {shown !== null && <Missing status={shown} />}
        {shown !== null && <LastError status={shown} />}
        {shown !== null && <Facts status={shown} />}
        {shown !== null && <Processes status={shown} />}
        <Clients machineId={machine.id} clients={clients.value?.clients ?? null} reload={clients.reload} />
      </section>
    </div>
  )
}

function Missing({ status }: { status: Status }) {
  const { missingDependencies, installCommand } = status
  if (missingDependencies.length === 0) return null
  return (
    <Card title="Missing programs" className={styles.broken} data-testid="missing">
      <p>Without these the browser does not start: {missingDependencies.join(', ')}.</p>
      {installCommand !== null && (
        <div className={styles.command}>
          <code>{installCommand}</code>
          <CopyButton text={installCommand} label="Copy the command" />
        </div>
      )}
    </Card>
  )
}

function LastError({ status: { lastError } }: { status: Status }) {
  if (lastError === null) return null
  return (
    <Card title="Last error" aside={lastError.code} className={styles.broken} data-testid="last-error">
      <pre className={styles.message}>{lastError.message}</pre>
    </Card>
  )
}

function Facts({ status }: { status: Status }) {
  return (
    <Card title="Browser">
      <dl className={styles.facts}>
        {factsOf(status).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={value}>{value}</dd>
          </div>
        ))}
      </dl>
      {status.warnings.length > 0 && (
        <ul className={styles.warnings}>
          {status.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Processes({ status: { processes } }: { status: Status }) {
  return (
    <Card title="Processes" aside={`${processes.filter(({ running }) => running).length} running`}>
      {processes.length === 0 ? (
        <p className={styles.none}>None: the browser is off.</p>
      ) : (
        <table className={styles.table} data-testid="processes">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Process</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {processes.map(({ name, pid, running }) => (
              <tr key={`${name} ${pid}`}>
                <td>{name}</td>
                <td className={tools.mono}>{pid}</td>
                <td>
                  <StateBadge look={running ? { tone: 'up', shape: 'round' } : { tone: 'broken', shape: 'diamond' }}>
                    {running ? 'Running' : 'Ended'}
                  </StateBadge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}

interface ClientsProps {
  machineId: string
  clients: readonly Client[] | null
  reload: () => Promise<void>
}

function Clients({ machineId, clients, reload }: ClientsProps) {
  const busy = useBusy(`cdp:${machineId}`)
  const cut = (client: Client, grace: number) =>
    work(`cdp:${machineId}`, grace === 0 ? 'Cutting the connection' : 'Asking to leave', async () => {
      await callAgent(machineId, 'cdp.cut', { id: client.id, graceMs: grace })
      if (grace > 0) {
        const detail = `It is cut in ${grace / 1000} s if it has not gone by then.`
        toast({ title: `${client.name} was asked to leave`, detail, id: client.id })
      }
      await reload()
    })
  const ask = (client: Client) =>
    confirm({
      title: `Cut the connection of ${client.name}?`,
      text: 'It ends at once. What it was doing in the browser stays half done.',
      action: 'Cut connection',
      run: () => cut(client, 0),
    })
  return (
    <Card title="Connected to the browser" aside={clients === null ? undefined : `${clients.length} connected`}>
      {clients === null || clients.length === 0 ? (
        <p className={styles.none}>
          {clients === null ? (
            'Not known.'
          ) : (
            <>
              <CircleCheck size={14} aria-hidden /> Nobody is connected over CDP.
            </>
          )}
        </p>
      ) : (
        <table className={styles.table} data-testid="cdp-clients">
          <thead>
            <tr>
              <th scope="col">Who</th>
              <th scope="col">Role</th>
              <th scope="col">Since</th>
              <th scope="col">Refused</th>
              <th scope="col">
                <span className="visually-hidden">What can be done</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {clients.map((client) => (
              <tr key={client.id}>
                <td title={`From ${client.peer}`}>{client.name}</td>
                <td>{client.role === 'controller' ? 'Controls' : 'Watches'}</td>
                <td>
                  <Age at={client.connectedAt} form="bare" />
                </td>
                <td className={styles.number}>{client.refused}</td>
                <td>
                  <span className={styles.acts}>
                    <Button
                      variant="ghost"
                      busy={busy}
                      aria-label={`Ask ${client.name} to leave`}
                      data-testid="cdp-ask"
                      onClick={() => void cut(client, graceMs)}
                    >
                      Ask to leave
                    </Button>
                    <IconButton
                      label={`Cut ${client.name}`}
                      icon={<Plug size={14} aria-hidden />}
                      data-testid="cdp-cut"
                      onClick={() => ask(client)}
                    />
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
