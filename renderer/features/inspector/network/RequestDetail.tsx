import { X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { readableJson } from '../../../ui/readable-json.ts'
import { Tabs } from '../../../ui/Tabs.tsx'
import { formatTime } from '../../../ui/time.ts'
import { maxBodyBytes, type NetworkModel } from './model.ts'
import styles from './Network.module.css'
import { curlOf, durationOf, type Headers, type NetworkRow, phasesOf, sizeText, timeText } from './rows.ts'

interface DetailProps {
  row: NetworkRow
  model: NetworkModel
  onClose: () => void
}

type Part = 'headers' | 'response' | 'timing'

/** One request, in full. */
export function RequestDetail({ row, model, onClose }: DetailProps) {
  const [part, setPart] = useState<Part>('headers')
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
        value={part}
        onChange={setPart}
        tabs={[
          { value: 'headers', title: 'Headers', icon: null, content: <HeadersPart row={row} /> },
          { value: 'response', title: 'Response', icon: null, content: <BodyPart row={row} model={model} /> },
          { value: 'timing', title: 'Timing', icon: null, content: <TimingPart row={row} /> },
        ]}
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
          value={row.failed ?? (row.status === null ? 'pending' : `${row.status} ${row.statusText}`)}
        />
        <Pair name="Type" value={[row.type, row.mimeType].filter(Boolean).join(' · ')} />
        {row.remote !== '' && <Pair name="Remote" value={row.remote} />}
        {row.protocol !== '' && <Pair name="Protocol" value={row.protocol} />}
        {row.cached !== null && <Pair name="From" value={row.cached} />}
        {row.initiator !== '' && <Pair name="Initiator" value={row.initiator} />}
        <Pair name="Started" value={formatTime(new Date(row.at).toISOString())} />
      </Group>
      {row.recorded ? (
        <p className={styles.note}>
          It was made before the inspector was open: the agent kept its outline only. Reload the page to see all of it.
        </p>
      ) : (
        <>
          <HeaderGroup title="Response headers" headers={row.responseHeaders} />
          <HeaderGroup title="Request headers" headers={row.requestHeaders} />
          {row.postData !== null && (
            <Group title="Request body">
              <pre className={styles.body}>{row.postData.slice(0, 100_000)}</pre>
            </Group>
          )}
          <p className={styles.note}>Cookies and credentials are not shown to those who only look.</p>
        </>
      )}
    </div>
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

type Body = { state: 'asking' } | { state: 'there'; text: string; base64: boolean } | { state: 'none'; why: string }

function BodyPart({ row, model }: { row: NetworkRow; model: NetworkModel }) {
  const [body, setBody] = useState<Body>({ state: 'asking' })
  const [turn, setTurn] = useState(0)
  const { endedAt, failed, bodySize, recorded, type } = row
  const over = endedAt !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once the answer is whole, and again when told to
  useEffect(() => {
    const why = recorded
      ? 'The agent keeps no bodies. Reload the page with the inspector open.'
      : type === 'WebSocket'
        ? 'A WebSocket has no body.'
        : failed !== null
          ? `There is none: ${failed}.`
          : !over
            ? 'The answer is still under way.'
            : bodySize > maxBodyBytes
              ? `${sizeText(bodySize)} are too much to show here.`
              : undefined
    if (why !== undefined) return setBody({ state: 'none', why })
    let gone = false
    setBody({ state: 'asking' })
    model.body(row).then(
      (found) => !gone && setBody({ state: 'there', ...found }),
      (error: unknown) =>
        !gone && setBody({ state: 'none', why: `The browser no longer has it: ${(error as Error).message}` }),
    )
    return () => {
      gone = true
    }
  }, [over, failed, turn])
  if (body.state === 'asking') return <p className={styles.note}>Asking the browser…</p>
  if (body.state === 'none')
    return (
      <div className={styles.note}>
        <p>{body.why}</p>
        {!recorded && over && (
          <Button variant="ghost" onClick={() => setTurn(turn + 1)}>
            Ask again
          </Button>
        )}
      </div>
    )
  if (body.base64) return <Picture row={row} data={body.text} />
  const text = readable(body.text, row.mimeType)
  return (
    <div className={styles.scroll} data-testid="response-body">
      <div className={styles.detailTools}>
        <CopyButton text={body.text} label="Copy the body" />
      </div>
      {text === '' ? (
        <p className={styles.note}>The body is empty.</p>
      ) : (
        <pre className={styles.body}>{text.slice(0, 500_000)}</pre>
      )}
    </div>
  )
}

/** Bytes: their size, since nothing of a page is ever rendered here. */
function Picture({ row, data }: { row: NetworkRow; data: string }) {
  const bytes = Math.floor((data.length * 3) / 4)
  return (
    <p className={styles.note}>
      {sizeText(bytes)} of {row.mimeType || 'bytes'}, which is not text.
    </p>
  )
}

function readable(text: string, mimeType: string): string {
  if (!mimeType.includes('json') || text.length > 500_000) return text
  try {
    return readableJson(text)
  } catch {
    return text
  }
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
          <dd>{whole === null ? 'under way' : fine(whole)}</dd>
        </div>
      </dl>
    </div>
  )
}

const fine = (ms: number) => (ms < 10 ? `${ms.toFixed(2)} ms` : timeText(ms))
