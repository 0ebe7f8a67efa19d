import { Hand } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { saveSettings, useApp } from '../../app/app.store.ts'
import { go } from '../../app/route.ts'
import { work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatDuration } from '../../ui/time.ts'
import { driverTitle } from '../engine/engine.store.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import { RequestCard } from './RequestCard.tsx'
import styles from './Takeovers.module.css'
import {
  loadHistory,
  type OwnTakeover,
  openRequests,
  overRequests,
  useTakeovers,
  type Wanted,
} from './takeovers.store.ts'
import { playTone } from './tone.ts'

/** Who is wanted now, and what came of it before. */
export function TakeoversScreen() {
  const requests = useTakeovers((state) => state.requests)
  const history = useTakeovers((state) => state.history)
  const open = useMemo(() => openRequests(requests), [requests])
  const over = useMemo(() => overRequests(requests), [requests])
  const operator = useApp((state) => state.info?.settings.operator)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name has another history
  useEffect(() => void loadHistory(), [operator])
  return (
    <div className={styles.screen} data-testid="takeovers">
      <div className={styles.head}>
        <p>
          {open.length === 0
            ? 'Nobody is wanted.'
            : open.length === 1
              ? '1 request waits.'
              : `${open.length} requests wait, the longest first.`}
        </p>
        <HowToHear />
      </div>
      {open.length === 0 ? (
        <EmptyState
          icon={<Hand size={26} aria-hidden />}
          title="No machine asks for a person"
          text="When every engine has failed, the request stands here with a picture of the page and what was tried."
        />
      ) : (
        <ol className={styles.requests} data-testid="requests">
          {open.map((request) => (
            <RequestCard key={request.id} request={request} />
          ))}
        </ol>
      )}
      {over.length > 0 && <Over requests={over} />}
      {history !== null && history.length > 0 && <History takeovers={history} />}
    </div>
  )
}

/** How one hears of a request while one looks elsewhere. */
function HowToHear() {
  const settings = useApp((state) => state.info?.settings)
  if (settings === undefined) return null
  const { takeoverSound, notifications } = settings
  const change = (changed: Partial<typeof settings>) =>
    void work('takeover-hear', 'Changing the setting', () => saveSettings(changed))
  return (
    <fieldset className={styles.hear} aria-label="When a person is wanted">
      <span>When a person is wanted:</span>
      <label className={styles.sound}>
        <input
          type="checkbox"
          checked={notifications.takeovers}
          data-testid="takeover-notify"
          onChange={({ target }) => change({ notifications: { ...notifications, takeovers: target.checked } })}
        />
        notify
      </label>
      <label className={styles.sound}>
        <input
          type="checkbox"
          checked={takeoverSound}
          data-testid="takeover-sound"
          onChange={({ target }) => {
            // Heard at once, so that one knows what to listen for.
            if (target.checked) playTone()
            change({ takeoverSound: target.checked })
          }}
        />
        play a sound
      </label>
    </fieldset>
  )
}

const ends: Readonly<Record<string, string>> = {
  accepted: 'in hand',
  done: 'given back',
  declined: 'declined',
  timed_out: 'nobody came in time',
  cancelled: 'no longer wanted',
}

function Over({ requests }: { requests: readonly Wanted[] }) {
  const machines = useFleet((state) => state.machines)
  return (
    <Card title="What became of others">
      <table className={styles.table} data-testid="requests-over">
        <thead>
          <tr>
            <th>Asked</th>
            <th>Machine</th>
            <th>End</th>
            <th>Who</th>
            <th>Reason</th>
          </tr>
        </thead>
        <tbody>
          {requests.slice(0, 50).map((request) => (
            <tr key={request.id} data-state={request.state}>
              <td>
                <Age at={request.raisedAt} />
              </td>
              <td>
                <MachineLink machineId={request.machineId} name={machines[request.machineId]?.name} />
              </td>
              <td>{ends[request.state] ?? request.state}</td>
              <td>{request.operator ?? '—'}</td>
              <td className={styles.wide} title={request.reason}>
                {request.reason}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

const outcomes: Readonly<Record<string, string>> = {
  resolved: 'resolved',
  partly: 'partly resolved',
  not_possible: 'could not be resolved',
  not_needed: 'nothing to do',
  expired: 'control ran out',
  ended: 'the browser ended',
  console_closed: 'the console was closed',
  machine_removed: 'the machine was removed',
}

/** What this operator did, with how long each change of hand took. */
function History({ takeovers }: { takeovers: readonly OwnTakeover[] }) {
  const machines = useFleet((state) => state.machines)
  const known = useFleet((state) => state.status.phase === 'ready')
  const ms = (value: number | null) => (value === null ? '—' : formatDuration(value))
  return (
    <Card title="Your takeovers">
      <table className={styles.table} data-testid="takeover-history">
        <thead>
          <tr>
            <th>Ended</th>
            <th>Machine</th>
            <th>Outcome</th>
            <th title="From the request to your accepting it">To accept</th>
            <th title="From accepting to having control, with every engine stopped">To control</th>
            <th>Held</th>
            <th title="From giving back to an engine that may act">To engine</th>
            <th>Given to</th>
            <th>Note</th>
          </tr>
        </thead>
        <tbody>
          {takeovers.map((one) => (
            <tr key={`${one.machineId} ${one.id}`}>
              <td title={new Date(one.time).toLocaleString()}>
                <Age at={one.time} />
              </td>
              <td>
                {known && machines[one.machineId] === undefined ? (
                  <span className={styles.removed} title="The machine was removed from this console">
                    {one.machineName} <small>the machine was removed</small>
                  </span>
                ) : (
                  <MachineLink machineId={one.machineId} name={machines[one.machineId]?.name ?? one.machineName} />
                )}
              </td>
              <td>{outcomes[one.outcome] ?? one.outcome}</td>
              <td>{ms(one.requestToAcceptedMs)}</td>
              <td>{ms(one.acceptedToControlMs)}</td>
              <td>{ms(one.heldMs)}</td>
              <td>{ms(one.handBackToActingMs)}</td>
              <td>{driverTitle(one.handedBackTo)}</td>
              <td className={styles.wide} title={one.note}>
                {one.note}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function MachineLink({ machineId, name }: { machineId: string; name: string | undefined }) {
  return (
    <Button
      variant="ghost"
      className={styles.machine}
      onClick={() => go({ screen: 'machine', machineId, tab: 'live' })}
    >
      {name ?? machineId}
    </Button>
  )
}
