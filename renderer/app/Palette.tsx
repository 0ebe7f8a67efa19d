import { CornerDownLeft } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useFleet } from '../features/fleet/fleet.store.ts'
import { TopDialog } from '../ui/Dialog.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { StateDot } from '../ui/StateDot.tsx'
import { actionContext, currentActions } from './actions.ts'
import styles from './Palette.module.css'
import { type PaletteEntry, paletteEntries } from './palette.ts'
import { controlsOnScreen } from './screen-controls.ts'
import { show, useUi } from './ui.store.ts'

/** Everything that can be done and reached, by a few letters. */
export function Palette() {
  const open = useUi((state) => state.open === 'palette')
  return (
    <TopDialog open={open} onClose={() => show('none')} title="Search or run a command">
      <PaletteBody />
    </TopDialog>
  )
}

function PaletteBody() {
  const id = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const machines = useFleet((state) => state.machines)
  // As they were when the palette was opened: it stands before them now.
  const [controls] = useState(() => controlsOnScreen())
  const entries = useMemo(
    () => paletteEntries(query, currentActions(), actionContext(), Object.values(machines), controls),
    [query, machines, controls],
  )
  const shown = Math.min(active, Math.max(0, entries.length - 1))
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[data-place="${shown}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [shown])

  const run = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return
    show('none')
    // After the dialog has given the focus back, so that the action may move it.
    setTimeout(entry.run, 0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }
    const step = steps[event.key]
    if (step !== undefined) {
      const last = entries.length - 1
      const next = shown + step
      const wrapped = Math.abs(step) === 1 && next < 0 ? last : Math.abs(step) === 1 && next > last ? 0 : next
      setActive(Math.min(Math.max(wrapped, 0), Math.max(0, last)))
    } else if (event.key === 'Enter') run(entries[shown])
    else return
    event.preventDefault()
  }

  return (
    <>
      <input
        className={styles.input}
        placeholder="Type a machine or a command"
        aria-label="Search or run a command"
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${shown}`}
        autoComplete="off"
        spellCheck={false}
        data-testid="palette-input"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className={styles.list}>
        {entries.length === 0 && <p className={styles.group}>Nothing matches “{query}”.</p>}
        {entries.map((entry, place) => (
          <div key={entry.id}>
            {entry.group !== entries[place - 1]?.group && <div className={styles.group}>{entry.group}</div>}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and takes the keys */}
            <div
              id={`${id}-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === shown}
              data-place={place}
              className={styles.option}
              onClick={() => run(entry)}
              onPointerMove={() => setActive(place)}
            >
              <span className={styles.mark}>
                {entry.look === null ? <CornerDownLeft size={13} aria-hidden /> : <StateDot {...entry.look} />}
              </span>
              <span className={styles.optionText}>
                {entry.title} <span className={styles.quiet}>{entry.aside}</span>
              </span>
              {entry.keys !== null && <Kbd keys={entry.keys} />}
            </div>
          </div>
        ))}
      </div>
      <div className={styles.foot}>
        <span>
          <Kbd keys="arrowup arrowdown" /> choose
        </span>
        <span>
          <Kbd keys="enter" /> run
        </span>
        <span>
          <Kbd keys="escape" /> close
        </span>
      </div>
    </>
  )
}
