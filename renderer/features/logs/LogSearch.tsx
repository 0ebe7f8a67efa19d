import { ArrowDown, ArrowUp, CaseSensitive, Filter, Regex, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Tooltip } from '../../ui/Tooltip.tsx'
import styles from './Logs.module.css'
import type { LogsSession } from './session.ts'

/** Typing is not waited for longer than this before it is looked for. */
const settleMs = 150

/** Looks through everything that is kept, in another thread: typing never waits for it. */
export function LogSearch({ session }: { session: LogsSession }) {
  const [text, setText] = useState('')
  const [regex, setRegex] = useState(false)
  const [caseSensitive, setCaseSensitive] = useState(false)
  const [only, setOnly] = useState(false)
  const begin = useRef(() => {})
  useEffect(() => {
    const timer = setTimeout(() => begin.current(), settleMs)
    begin.current = () => {
      clearTimeout(timer)
      begin.current = () => {}
      session.state.setState({ match: null })
      session.post({ type: 'search', pattern: text === '' ? null : { text, regex, caseSensitive } })
    }
    return () => clearTimeout(timer)
  }, [session, text, regex, caseSensitive])
  useEffect(() => session.post({ type: 'only', on: only }), [session, only])
  const wrong = session.state(({ stats }) => stats !== null && stats.searchProblem !== null)
  const step = (way: 1 | -1) => {
    // Whoever presses Enter right behind the last letter means what stands there now.
    begin.current()
    session.post({ type: 'step', way, from: session.state.getState().match?.serial })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') step(event.shiftKey ? 1 : -1)
    else if (event.key === 'Escape' && text !== '') setText('')
    else return
    event.preventDefault()
  }
  return (
    <search className={styles.search}>
      <Search size={14} aria-hidden />
      <input
        value={text}
        maxLength={500}
        placeholder="Search"
        aria-label="Search the lines"
        spellCheck={false}
        autoComplete="off"
        data-testid="logs-search"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Found session={session} active={text !== ''} />
      {text !== '' && !wrong && (
        <>
          <Small label="The match before" icon={<ArrowUp size={14} aria-hidden />} onClick={() => step(-1)} />
          <Small label="The next match" icon={<ArrowDown size={14} aria-hidden />} onClick={() => step(1)} />
        </>
      )}
      <Small
        label="Distinguish capital letters"
        icon={<CaseSensitive size={15} aria-hidden />}
        pressed={caseSensitive}
        onClick={() => setCaseSensitive(!caseSensitive)}
      />
      <Small
        label="Regular expression"
        icon={<Regex size={14} aria-hidden />}
        pressed={regex}
        testId="logs-regex"
        onClick={() => setRegex(!regex)}
      />
      <Small
        label="Only lines that match"
        icon={<Filter size={14} aria-hidden />}
        pressed={only}
        testId="logs-only"
        onClick={() => setOnly(!only)}
      />
    </search>
  )
}

function Found({ session, active }: { session: LogsSession; active: boolean }) {
  const stats = session.state((state) => state.stats)
  const match = session.state((state) => state.match)
  if (!active || stats === null) return null
  if (stats.searchProblem !== null) {
    return (
      <Tooltip text={stats.searchProblem}>
        <span className={styles.wrong} role="alert" data-testid="logs-search-problem">
          {stats.searchProblem}
        </span>
      </Tooltip>
    )
  }
  const count = stats.matches.toLocaleString('en')
  const searching = stats.searching === null ? '' : ` · ${Math.floor(stats.searching * 100)} %`
  return (
    <span className={styles.found} role="status" data-testid="logs-found">
      {match === null ? count : `${match.rank.toLocaleString('en')} of ${count}`}
      {searching}
    </span>
  )
}

interface SmallProps {
  label: string
  icon: ReactNode
  pressed?: boolean
  testId?: string
  onClick: () => void
}

function Small({ label, icon, pressed, testId, onClick }: SmallProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        className={styles.small}
        aria-label={label}
        aria-pressed={pressed}
        data-testid={testId}
        onClick={onClick}
      >
        {icon}
      </button>
    </Tooltip>
  )
}
