import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { formatTime } from '../../../ui/time.ts'
import { type Frame, placeText } from '../console/entries.ts'
import { BodyPart, readable } from './BodyPart.tsx'
import { curlOf } from './curl.ts'
import { MessagesPart } from './MessagesPart.tsx'
import type { NetworkModel } from './model.ts'
import styles from './Network.module.css'
import { durationOf, type Headers, isUnderWay, type NetworkRow, outcomeOf, phasesOf, timeText } from './rows.ts'

interface DetailProps {
  row: NetworkRow
  model: NetworkModel
  /** Stays what it was from one request to the next. */
  part: Part
  onPart: (part: Part) => void
  onClose: () => void
}

export type Part = 'headers' | 'messages' | 'response' | 'timing'

/** One request, in full. */
export function RequestDetail({ row, model, part, onPart, onClose }: DetailProps) {
  const talks = row.type === 'WebSocket' || row.type === 'EventSource'
  const tabs = [
    { value: 'headers' as const, title: 'Headers', icon: null, content: <HeadersPart row={row} /> },
    ...(talks
      ? [
          {
            value: 'messages' as const,
            title: 'Messages',
            icon: null,
            content: <MessagesPart row={row} model={model} />,
          },
        ]
      : []),
    ...(row.type === 'WebSocket'
      ? []
      : [{ value: 'response' as const, title: 'Response', icon: null, content: <BodyPart row={row} model={model} /> }]),
    { value: 'timing' as const, title: 'Timing', icon: null, content: <TimingPart row={row} /> },
  ]
  return (
    <section
      className={styles.detail}
      aria-label="Request"
      data-testid="request-detail"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <div className={styles.detailTools}>
        <CopyButton text={curlOf(row)} label="Copy as cURL" wordy />
        <CopyButton text={row.url} label="Copy the address" />
        <IconButton label="Close" icon={<X size={14} aria-hidden />} data-testid="detail-close" onClick={onClose} />
      </div>
      <Tabs<Part>
        label="Parts of the request"
        // A socket has no response, and most have no messages: where one looks for the one, there is the other.
        value={
          tabs.some(({ value }) => value === part) ? part : talks ? 'messages' : part === 'messages' ? 'response' : part
        }
        onChange={onPart}
        tabs={tabs}
      />
    </section>
  )
}

function HeadersPart({ row }: { row: NetworkRow }) {
  return (
    <div className={styles.scroll}>
      <Group title="General">
        <Pair name="Address" value={row.url} />
        <Pair name="Method" value={row.method} />
        <Pair
          name="Status"
          value={row.failed ?? (row.status === null ? outcomeOf(row) : `${row.status} ${row.statusText}`)}
        />
        {row.redirectedTo !== null && <Pair name="Redirected to" value={row.redirectedTo} />}
        <Pair name="Type" value={[row.type, row.mimeType].filter(Boolean).join(' · ')} />
        {row.remote !== '' && <Pair name="Remote" value={row.remote} />}
        {row.protocol !== '' && <Pair name="Protocol" value={row.protocol} />}
        {row.cached !== null && <Pair name="From" value={row.cached} />}
        {row.initiator !== '' && <Pair name="Initiator" value={row.initiator} />}
        <Pair name="Started" value={formatTime(new Date(row.at).toISOString())} />
      </Group>
      {row.lost && (
        <p className={styles.note}>
          How it ended was not heard: the page went elsewhere, the frame or worker that asked for it is gone, or the
          connection was interrupted.
        </p>
      )}
      <Calls calls={row.calls} />
      <Query url={row.url} />
      {row.recorded ? (
        <p className={styles.note}>
          It was made before the inspector was open: the agent kept its outline only. Reload the page to see all of it.
        </p>
      ) : (
        <>
          <HeaderGroup title="Response headers" headers={row.responseHeaders} />
          <HeaderGroup title="Request headers" headers={row.requestHeaders} />
          {row.hasPostData && (
            <Group title="Request body">
              {row.postData === null ? (
                <p className={styles.inGroup}>It is long or holds a file: Chromium does not tell it.</p>
              ) : (
                <pre className={styles.body}>{readable(row.postData, requestType(row)).slice(0, 100_000)}</pre>
              )}
            </Group>
          )}
          <p className={styles.note}>Cookies and credentials are not shown to those who only look.</p>
        </>
      )}
    </div>
  )
}

const requestType = ({ requestHeaders }: NetworkRow) =>
  Object.entries(requestHeaders).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''

/** The calls that led to it; whoever sent it is read first. */
function Calls({ calls }: { calls: readonly Frame[] }) {
  if (calls.length === 0) return null
  return (
    <Group title="Called from">
      {calls.map((call, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of one stack never move
        <div key={place} className={styles.pair} title={call.url}>
          <span>{call.functionName || '(anonymous)'}</span>
          <code>{placeText(call.url, call.lineNumber + 1)}</code>
        </div>
      ))}
    </Group>
  )
}

const mostFields = 200

/** What stands behind the question mark, as the server reads it. */
function Query({ url }: { url: string }) {
  const at = url.startsWith('data:') ? -1 : url.indexOf('?')
  const fields = at === -1 ? [] : [...new URLSearchParams(url.slice(at + 1).split('#')[0])].slice(0, mostFields)
  if (fields.length === 0) return null
  return (
    <Group title={`Query (${fields.length})`}>
      {fields.map(([name, value], place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields of an address never move
        <Pair key={place} name={name} value={value} />
      ))}
    </Group>
  )
}

function HeaderGroup({ title, headers }: { title: string; headers: Headers | null }) {
  const pairs = Object.entries(headers ?? {}).sort(([a], [b]) => a.localeCompare(b))
  if (pairs.length === 0) return null
  return (
    <Group title={`${title} (${pairs.length})`}>
      {pairs.map(([name, value]) => (
        <Pair key={name} name={name} value={String(value)} />
      ))}
    </Group>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.group}>
      <h3>{title}</h3>
      <div>{children}</div>
    </section>
  )
}

function Pair({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.pair}>
      <span>{name}</span>
      <code>{value.slice(0, 8000)}</code>
    </div>
  )
}

function TimingPart({ row }: { row: NetworkRow }) {
  const phases = phasesOf(row)
  const whole = durationOf(row)
  if (phases.length === 0)
    return (
      <p className={styles.note}>Nothing is known about its phases{row.cached === null ? '' : `: ${row.cached}`}.</p>
    )
  const total = Math.max(whole ?? 0, ...phases.map(({ from, ms }) => from + ms), 0.01)
  return (
    <div className={styles.scroll} data-testid="timing">
      <dl className={styles.phases}>
        {phases.map(({ name, from, ms }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={styles.fall} aria-hidden>
              <span
                className={styles.fallBar}
                style={{ left: `${(from / total) * 100}%`, width: `${(ms / total) * 100}%` }}
              />
            </dd>
            <dd>{fine(ms)}</dd>
          </div>
        ))}
        <div data-total="">
          <dt>All together</dt>
          <dd />
          <dd>{whole === null ? (isUnderWay(row) ? 'under way' : 'not known') : fine(whole)}</dd>
        </div>
      </dl>
    </div>
  )
}

const fine = (ms: number) => (ms < 10 ? `${ms.toFixed(2)} ms` : timeText(ms))
