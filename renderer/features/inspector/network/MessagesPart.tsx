import { ArrowDown, ArrowUp, CircleX } from 'lucide-react'
import { useMemo, useState } from 'react'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { readableJson } from '../../../ui/readable-json.ts'
import { SearchField } from '../../../ui/SearchField.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { formatTime } from '../../../ui/time.ts'
import { hexDump, mostDumped } from './body.ts'
import type { Message } from './messages.ts'
import type { NetworkModel } from './model.ts'
import styles from './Network.module.css'
import { usePattern } from './pattern.ts'
import { isUnderWay, type NetworkRow, sizeText } from './rows.ts'

type Key = 'kind' | 'name' | 'data' | 'length' | 'at'
interface Row {
  /** Its place since the beginning: the same however many of the oldest had to go. */
  id: string
  message: Message
}

const icons = { sent: ArrowUp, received: ArrowDown, error: CircleX }
const words = { sent: 'Sent', received: 'Received', error: 'Error' }
/** Within this of the end, new messages pull the view along. */
const nearEndPx = 40
const mostLooked = 20_000

/** What a socket or a stream of events says, as it says it; the chosen one in full. */
export function MessagesPart({ row, model }: { row: NetworkRow; model: NetworkModel }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const [follows, setFollows] = useState(true)
  const pattern = usePattern(typed, mostLooked)
  const { list, dropped } = model.messages(row.key)
  const test = pattern.kind === 'matches' ? pattern.test : null
  const all: readonly Row[] = list.map((message, place) => ({ id: String(dropped + place), message }))
  const rows = test === null ? all : all.filter(({ message: { data, name } }) => test(data) || test(name))
  const columns = useMemo(() => columnsFor(row), [row])
  const shown = chosen === null ? undefined : all.find(({ id }) => id === chosen)
  const newest = rows.at(-1)?.id ?? null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a way back for the keyboard, from the fields and lists in it
    <div
      className={styles.messages}
      data-testid="messages"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || chosen === null) return
        // One step back, and not out of the whole request.
        event.stopPropagation()
        setChosen(null)
      }}
    >
      <div className={styles.messagesBar}>
        <SearchField
          label="Filter the messages: text, or an expression between slashes"
          placeholder="Text, or /expression/"
          value={typed}
          onChange={setTyped}
          testId="messages-filter"
        />
        <span data-testid="messages-sum">
          {pattern.kind === 'invalid' ? (
            <span className={styles.invalid} role="alert">
              {pattern.why}
            </span>
          ) : (
            `${dropped > 0 ? `${dropped.toLocaleString('en')} older are gone · ` : ''}${rows.length} ${rows.length === 1 ? 'message' : 'messages'}`
          )}
        </span>
      </div>
      <div
        className={styles.messagesTable}
        onScrollCapture={({ target }) => {
          const { scrollHeight, scrollTop, clientHeight } = target as HTMLElement
          setFollows(scrollHeight - scrollTop - clientHeight < nearEndPx)
        }}
      >
        <Table<Row, Key>
          label="Messages"
          testId="messages-table"
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          marked={({ id }) => id === chosen}
          current={follows && chosen === null ? newest : null}
          sort={null}
          onOpen={({ id }) => setChosen(id === chosen ? null : id)}
          onActive={({ id }) => chosen !== null && setChosen(id)}
          empty={<p className={styles.note}>{emptyText(row, list.length)}</p>}
        />
      </div>
      {shown !== undefined && <Whole key={shown.id} message={shown.message} />}
    </div>
  )
}

function emptyText(row: NetworkRow, kept: number): string {
  if (kept > 0) return 'Nothing matches the filter.'
  if (row.failed !== null) return `There are none: ${row.failed}.`
  if (!isUnderWay(row)) return 'None were heard.'
  return row.recorded
    ? 'It was opened before the inspector was: what comes from now on is shown here.'
    : 'Nothing was said yet.'
}

function columnsFor({ type, at: begunAt, startedAt, recorded }: NetworkRow): Column<Row, Key>[] {
  // On the machine's clock where that is known, as all other times of the request are.
  const momentOf = ({ at, heardAt }: Message) =>
    recorded || !Number.isFinite(startedAt) ? heardAt : begunAt + (at - startedAt) * 1000
  return [
    {
      key: 'kind',
      title: '',
      width: '34px',
      plain: true,
      cell: ({ message: { kind } }) => {
        const Icon = icons[kind]
        return (
          <span className={styles.way} data-kind={kind} title={words[kind]}>
            <Icon size={14} aria-hidden />
            <span className="visually-hidden">{words[kind]}</span>
          </span>
        )
      },
    },
    ...(type === 'EventSource'
      ? [{ key: 'name' as const, title: 'Event', width: '110px', mono: true, cell: ({ message }: Row) => message.name }]
      : []),
    {
      key: 'data',
      title: 'Message',
      width: 'minmax(0, 1fr)',
      mono: true,
      cell: ({ message }) => <span className={styles.name}>{lineOf(message)}</span>,
    },
    {
      key: 'length',
      title: 'Length',
      width: '84px',
      quiet: true,
      cell: ({ message: { form, length } }) => (form === 'bytes' ? sizeText(length) : length.toLocaleString('en')),
    },
    {
      key: 'at',
      title: 'Time',
      width: '112px',
      quiet: true,
      cell: ({ message }) => preciseTime(momentOf(message)),
    },
  ]
}

const mostInLine = 400
const formWords = { ping: 'Ping', pong: 'Pong', close: 'Close' }

function lineOf({ form, data }: Message): string {
  const text = data.slice(0, mostInLine)
  if (form === 'bytes')
    return `Bytes ${bytesOf(text.slice(0, 64))
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(' ')}`
  return form === 'text' ? text : [formWords[form], text].filter(Boolean).join(' ')
}

/** Cut where it was long, and base64 comes in fours. */
function bytesOf(base64: string): number[] {
  try {
    return [...atob(base64.slice(0, base64.length - (base64.length % 4)))].map((letter) => letter.charCodeAt(0))
  } catch {
    return []
  }
}

/** Messages come many to a second. */
const preciseTime = (at: number) =>
  `${formatTime(new Date(at).toISOString())}.${String(Math.floor(at) % 1000).padStart(3, '0')}`

function Whole({ message }: { message: Message }) {
  const { form, data, length, name, id } = message
  const text = useMemo(() => wholeText(message), [message])
  const facts = [words[message.kind], name, id && `id ${id}`]
  if (form !== 'bytes' && length > data.length)
    facts.push(`the first ${data.length.toLocaleString('en')} of ${length.toLocaleString('en')} letters`)
  return (
    <section className={styles.whole} aria-label="The chosen message" data-testid="message">
      <div className={styles.wholeBar}>
        <span>{facts.filter(Boolean).join(' · ')}</span>
        <CopyButton text={data} label={form === 'bytes' ? 'Copy as base64' : 'Copy the message'} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre className={form === 'bytes' ? styles.dump : styles.body} tabIndex={0}>
        {text}
      </pre>
    </section>
  )
}

function wholeText({ form, data, length }: Message): string {
  if (form === 'bytes') {
    const bytes = Uint8Array.from(bytesOf(data))
    const cut = length > bytes.length || bytes.length > mostDumped
    return `${hexDump(bytes)}${cut ? `\n… ${sizeText(length)} in all` : ''}`
  }
  if (!/^\s*[[{]/.test(data)) return data
  try {
    return readableJson(data)
  } catch {
    return data
  }
}
