import { ArrowDown, ArrowUp, CaseSensitive, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Input } from '../../ui/Field.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { sessionOf } from './sessions.ts'
import styles from './Terminal.module.css'
import { useTerminals } from './terminals.store.ts'
import { onThemeChange } from './theme.ts'

/** The colours of matches, in the theme as it is now. */
function decorations() {
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
  return {
    matchBackground: token('match-other'),
    activeMatchBackground: token('match'),
    matchOverviewRuler: token('match'),
    activeMatchColorOverviewRuler: token('match'),
  }
}

/** Finds plain text in what the terminal has kept. */
export function FindBar({ id }: { id: string }) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [caseSensitive, setCaseSensitive] = useState(false)
  const [found, setFound] = useState<{ index: number; count: number } | null>(null)
  useEffect(() => {
    input.current?.focus()
    const search = sessionOf(id)?.screen.search
    const listening = search?.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ index: resultIndex, count: resultCount }),
    )
    return () => {
      listening?.dispose()
      search?.clearDecorations()
    }
  }, [id])
  const find = (typed: string, way: 'next' | 'previous', sensitive = caseSensitive, incremental = false) => {
    const search = sessionOf(id)?.screen.search
    if (typed === '') {
      search?.clearDecorations()
      setFound(null)
    } else if (way === 'next')
      search?.findNext(typed, { caseSensitive: sensitive, incremental, decorations: decorations() })
    else search?.findPrevious(typed, { caseSensitive: sensitive, decorations: decorations() })
  }
  // Colours of matches are given with the search: those of the other theme would stay.
  const again = useRef(() => {})
  again.current = () => find(text, 'next', caseSensitive, true)
  useEffect(() => onThemeChange(() => again.current()), [])
  const close = () => {
    useTerminals.setState({ finding: null })
    sessionOf(id)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') find(text, event.shiftKey ? 'next' : 'previous')
    else return
    event.preventDefault()
  }
  return (
    <search className={styles.find}>
      <Input
        ref={input}
        value={text}
        maxLength={500}
        placeholder="Find in the terminal"
        aria-label="Find in the terminal"
        data-testid="terminal-find-text"
        onChange={(event) => {
          setText(event.target.value)
          find(event.target.value, 'next', caseSensitive, true)
        }}
        onKeyDown={onKeyDown}
      />
      <span className={styles.found} role="status" data-testid="terminal-found">
        {found === null ? '' : found.count === 0 ? 'None' : `${found.index + 1} of ${found.count}`}
      </span>
      <IconButton
        label="Distinguish capital letters"
        aria-pressed={caseSensitive}
        icon={<CaseSensitive size={16} aria-hidden />}
        onClick={() => {
          setCaseSensitive(!caseSensitive)
          find(text, 'next', !caseSensitive)
        }}
      />
      <IconButton label="Previous" icon={<ArrowUp size={15} aria-hidden />} onClick={() => find(text, 'previous')} />
      <IconButton label="Next" icon={<ArrowDown size={15} aria-hidden />} onClick={() => find(text, 'next')} />
      <IconButton label="Close" keys="escape" icon={<X size={15} aria-hidden />} onClick={close} />
    </search>
  )
}
