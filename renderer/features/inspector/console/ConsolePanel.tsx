import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, Ban } from 'lucide-react'
import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { pageErrorTitle } from '../../../../shared/domain/timeline/titles.ts'
import { useTarget } from '../../../app/target.ts'
import { Button } from '../../../ui/Button.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { aimedOf, useAimed } from '../aimed.ts'
import { useChanging } from '../changing.ts'
import bar from '../PanelBar.module.css'
import type { PanelProps } from '../panels.tsx'
import { useSnapshot } from '../sessions.ts'
import styles from './Console.module.css'
import { ConsoleRow } from './ConsoleRow.tsx'
import { type Entry, type Level, levels, passes } from './entries.ts'
import { consoleOf } from './model.ts'

const levelNames: Record<Level, string> = {
  error: 'Errors',
  warn: 'Warnings',
  info: 'Info',
  log: 'Logs',
  debug: 'Verbose',
}
/** Within this of the end, new lines pull the view along. */
const nearEndPx = 24

const isError = ({ kind, level }: Entry) => kind === 'message' && level === 'error'

/** What the page says, what the browser says about it, and errors that nobody caught. */
export function ConsolePanel({ machine, session }: PanelProps) {
  const model = consoleOf(session)
  const { phase } = useSnapshot(session)
  const version = useChanging(model)
  const [text, setText] = useState('')
  const [shown, setShown] = useState<ReadonlySet<Level>>(() => new Set(levels))
  const sought = useDeferredValue(text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the entries, which are changed in place
  const { entries, counts } = useMemo(() => {
    const counted: Record<Level, number> = { error: 0, warn: 0, info: 0, log: 0, debug: 0 }
    for (const entry of model.entries) if (entry.kind === 'message') counted[entry.level] += entry.count
    const filter = { levels: shown, text: sought }
    return { entries: model.entries.filter((entry) => passes(entry, filter)), counts: counted }
  }, [model, version, shown, sought])

  const scroller = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [away, setAway] = useState(false)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 25,
    overscan: 12,
    getItemKey: (index) => entries[index]?.id ?? index,
  })
  const total = virtual.getTotalSize()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer list, or a taller one, moves the end
  useLayoutEffect(() => {
    if (atEnd.current && scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [entries, total])
  useEffect(() => {
    const field = scroller.current
    if (field === null) return
    const onScroll = () => {
      atEnd.current = field.scrollHeight - field.scrollTop - field.clientHeight < nearEndPx
      setAway(!atEnd.current)
    }
    field.addEventListener('scroll', onScroll, { passive: true })
    return () => field.removeEventListener('scroll', onScroll)
  }, [])

  const aimed = useAimed(
    useTarget('console', machine.id),
    model.caughtUp,
    () => model.lookBack(),
    (aim) => aimedOf(model.entries.filter(isError), ({ text: said }) => pageErrorTitle(said), aim)?.id,
  )
  const aimedIndex = entries.findIndex(({ id }) => id === aimed)
  const inSight = useRef(false)
  useEffect(() => {
    if (aimedIndex === -1 || inSight.current) return
    inSight.current = true
    atEnd.current = false
    virtual.scrollToIndex(aimedIndex, { align: 'center' })
  }, [aimedIndex, virtual])

  const toggle = (level: Level) => {
    const next = new Set(shown)
    if (!next.delete(level)) next.add(level)
    setShown(next)
  }
  return (
    <div className={bar.panel} data-testid="console-panel">
      <div className={bar.bar} role="toolbar" aria-label="Console">
        <IconButton
          label="Clear the view"
          icon={<Ban size={14} aria-hidden />}
          data-testid="console-clear"
          onClick={() => model.clear()}
        />
        <SearchField
          label="Filter the console"
          placeholder="Filter"
          value={text}
          onChange={setText}
          testId="console-filter"
        />
        <div className={bar.chips}>
          {levels.map((level) => (
            <button
              key={level}
              type="button"
              className={bar.chip}
              aria-pressed={shown.has(level)}
              data-level={counts[level] === 0 ? undefined : level}
              data-testid={`console-level-${level}`}
              onClick={() => toggle(level)}
            >
              {levelNames[level]}
              <span className={bar.count}>{counts[level]}</span>
            </button>
          ))}
        </div>
        <span className={bar.end}>
          {aimed === 'gone' && 'That message is no longer kept '}
          {model.dropped > 0 && `The oldest ${model.dropped} are no longer kept`}
          {entries.length < model.entries.length && ` ${entries.length} of ${model.entries.length} shown`}
        </span>
      </div>
      <div className={styles.frame}>
        <div
          ref={scroller}
          className={styles.list}
          role="log"
          aria-label="Console messages"
          aria-live="off"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls has to be reachable by keyboard
          tabIndex={0}
        >
          <div style={{ height: total, position: 'relative' }}>
            {virtual.getVirtualItems().map((item) => {
              const entry = entries[item.index]
              if (entry === undefined) return null
              return (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  className={styles.place}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <ConsoleRow entry={entry} model={model} aimed={entry.id === aimed} />
                </div>
              )
            })}
          </div>
        </div>
        {entries.length === 0 && (
          <p className={bar.empty}>
            {model.entries.length > 0
              ? 'Nothing matches the filter.'
              : phase === 'open' && 'The page has said nothing yet.'}
          </p>
        )}
        {away && (
          <Button
            className={styles.toEnd}
            icon={<ArrowDown size={14} aria-hidden />}
            onClick={() => {
              atEnd.current = true
              scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
            }}
          >
            Newest
          </Button>
        )}
      </div>
    </div>
  )
}
