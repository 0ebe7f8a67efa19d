import { Bug, ChevronRight, CircleX, Info, Navigation, TriangleAlert } from 'lucide-react'
import { type ComponentType, Fragment, memo, useState } from 'react'
import { formatTime } from '../../../ui/time.ts'
import { ObjectView, type Opened } from '../objects/ObjectView.tsx'
import styles from './Console.module.css'
import { type Entry, type Frame, type Level, placeText } from './entries.ts'
import type { ConsoleModel } from './model.ts'

const icons: Partial<Record<Level, ComponentType<{ size: number }>>> = {
  error: CircleX,
  warn: TriangleAlert,
  info: Info,
  debug: Bug,
}
const words: Record<Level, string> = { error: 'Error', warn: 'Warning', info: 'Info', log: 'Log', debug: 'Verbose' }

interface ConsoleRowProps {
  entry: Entry
  model: ConsoleModel
  /** It was asked for elsewhere. */
  aimed: boolean
}

/** One message. Everything in it is the page's own text, and stays text. */
export const ConsoleRow = memo(function ConsoleRow({ entry, model, aimed }: ConsoleRowProps) {
  if (entry.kind === 'mark') {
    return (
      <p className={styles.mark} data-testid="console-mark">
        <Navigation size={12} aria-hidden /> <span>{entry.text}</span>
      </p>
    )
  }
  const Icon = icons[entry.level]
  const place = placeText(entry.url, entry.line)
  return (
    <div
      className={styles.row}
      data-level={entry.level}
      data-aimed={aimed ? '' : undefined}
      data-recorded={entry.recorded ? '' : undefined}
      data-testid="console-row"
      style={entry.depth === 0 ? undefined : { paddingLeft: 10 + entry.depth * 14 }}
    >
      <span className={styles.sign}>
        {Icon !== undefined && <Icon size={13} />}
        <span className="visually-hidden">{words[entry.level]}</span>
      </span>
      {entry.count > 1 && (
        <span className={styles.repeats} title={`Said ${entry.count} times in a row`} data-testid="console-count">
          {entry.count}
        </span>
      )}
      <div className={styles.said}>
        <Pieces entry={entry} model={model} />
        {entry.stack.length > 1 && <Stack id={entry.id} stack={entry.stack} opened={model.opened} />}
      </div>
      <span className={styles.where}>
        {place !== '' && <span title={entry.url}>{place}</span>}
        <time title={entry.recorded ? 'From the agent’s record of the last messages' : undefined}>
          {formatTime(new Date(entry.at).toISOString())}
        </time>
      </span>
    </div>
  )
})

function Pieces({ entry, model }: { entry: Entry; model: ConsoleModel }) {
  const reader = {
    opened: model.opened,
    read: (objectId: string) => model.read(objectId, entry.sessionId),
  }
  return entry.pieces.map((piece, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a message never move
    <Fragment key={place}>
      {place > 0 && ' '}
      {'text' in piece ? (
        <span className={styles.text}>{piece.text}</span>
      ) : (
        <ObjectView object={piece.object} reader={reader} path={`${entry.id}:${place}`} />
      )}
    </Fragment>
  ))
}

/** Where it came from, call by call; folded, since most are read by their first line. */
export function Stack({ id, stack, opened }: { id: number; stack: readonly Frame[]; opened: Map<string, Opened> }) {
  const path = `${id}:stack`
  const [open, setOpen] = useState(() => opened.has(path))
  const toggle = () => {
    if (open) opened.delete(path)
    else opened.set(path, { properties: [] })
    setOpen(!open)
  }
  return (
    <div className={styles.stack}>
      <button type="button" aria-expanded={open} onClick={toggle} data-testid="stack">
        <ChevronRight size={12} aria-hidden /> {stack.length} {stack.length === 1 ? 'call' : 'calls'}
      </button>
      {open && (
        <ol>
          {stack.map((frame, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls of one stack never move
            <li key={place} title={frame.url}>
              {frame.functionName || '(anonymous)'} <span>{placeText(frame.url, frame.lineNumber + 1)}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
