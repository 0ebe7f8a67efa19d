import { type KeyboardEvent, type MouseEvent, memo, useEffect, useId, useMemo, useRef, useState } from 'react'
import { environments } from '../../../shared/domain/environments.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { isMac } from '../../ui/keys.ts'
import { MenuAt } from '../../ui/MenuAt.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { extend, toggle } from '../../ui/selection.ts'
import { environmentNames, machineLook } from '../machine/look.ts'
import { machineMenu } from '../machine/menu.tsx'
import { HoverCard } from './HoverCard.tsx'
import styles from './Map.module.css'

interface FleetMapProps {
  rows: readonly MachineView[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  onOpen: (machine: MachineView, aside: boolean) => void
}

/** Every machine as a tile, by environment: hundreds at a glance. One tab stop; arrows move as the tiles stand. */
export function FleetMap({ rows, selected, onSelect, onOpen }: FleetMapProps) {
  const prefix = useId()
  const root = useRef<HTMLDivElement>(null)
  const anchor = useRef<string | null>(null)
  const grouped = useMemo(
    () =>
      environments
        .map((environment) => ({ environment, machines: rows.filter((row) => row.environment === environment) }))
        .filter(({ machines }) => machines.length > 0),
    [rows],
  )
  const ordered = useMemo(() => grouped.flatMap(({ machines }) => machines), [grouped])
  const [active, setActive] = useState<string | null>(null)
  const [shownCard, setShownCard] = useState<string | null>(null)
  const [menuOf, setMenuOf] = useState<string | null>(null)
  const current = ordered.find(({ id }) => id === active) ?? ordered[0]
  const tileOf = (id: string | null) =>
    id === null ? null : (root.current?.querySelector<HTMLElement>(`[data-tile="${CSS.escape(id)}"]`) ?? null)

  const byId = useMemo(() => new Map(ordered.map((machine) => [machine.id, machine])), [ordered])
  const card = shownCard === null || menuOf !== null ? undefined : byId.get(shownCard)
  const menuMachine = menuOf === null ? undefined : byId.get(menuOf)
  useEffect(() => {
    if (active !== null)
      root.current?.querySelector(`[data-tile="${CSS.escape(active)}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const selectOne = (id: string) => {
    const next = toggle({ selected, anchor: anchor.current }, id)
    anchor.current = next.anchor
    onSelect(next.selected)
  }
  const selectTo = (id: string) => {
    const ids = ordered.map((machine) => machine.id)
    const next = extend({ selected, anchor: anchor.current }, ids, id)
    anchor.current = next.anchor
    onSelect(next.selected)
  }
  const moveTo = (id: string | undefined, ranging: boolean) => {
    if (id === undefined) return
    if (ranging && current !== undefined) anchor.current ??= current.id
    setActive(id)
    setShownCard(id)
    if (ranging) selectTo(id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (current === undefined || event.target !== root.current) return
    const mod = isMac ? event.metaKey : event.ctrlKey
    const at = ordered.indexOf(current)
    const target: Record<string, () => string | undefined> = {
      ArrowRight: () => ordered[at + 1]?.id,
      ArrowLeft: () => ordered[at - 1]?.id,
      ArrowDown: () => neighbour(root.current, tileOf(current.id), 1),
      ArrowUp: () => neighbour(root.current, tileOf(current.id), -1),
      Home: () => ordered[0]?.id,
      End: () => ordered.at(-1)?.id,
    }
    const go = target[event.key]
    if (go !== undefined) moveTo(go(), event.shiftKey)
    else if (event.key === 'Enter') onOpen(current, mod)
    else if (event.key === ' ') selectOne(current.id)
    else if (event.key.toLowerCase() === 'a' && mod) onSelect(new Set(ordered.map(({ id }) => id)))
    else if (event.key === 'Escape' && selected.size > 0) onSelect(new Set())
    else if (event.key === 'ContextMenu' || event.key === '.' || (event.key === 'F10' && event.shiftKey))
      setMenuOf(current.id)
    else return
    event.preventDefault()
  }
  /** One listener for all tiles. */
  const machineAt = (event: MouseEvent) => {
    const tile = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tile]') : null
    return tile === null ? undefined : byId.get(tile.dataset['tile'] ?? '')
  }
  const onClick = (event: MouseEvent) => {
    const machine = machineAt(event)
    if (machine === undefined) return
    setActive(machine.id)
    if (event.shiftKey) selectTo(machine.id)
    else if (event.altKey) selectOne(machine.id)
    else onOpen(machine, isMac ? event.metaKey : event.ctrlKey)
  }

  return (
    <div className={styles.frame}>
      <div
        ref={root}
        role="listbox"
        aria-label="Machines"
        aria-multiselectable
        aria-activedescendant={current === undefined ? undefined : `${prefix}-${current.id}`}
        tabIndex={0}
        className={styles.map}
        data-testid="fleet-map"
        onKeyDown={onKeyDown}
        onClick={onClick}
        onContextMenu={(event) => {
          const machine = machineAt(event)
          if (machine === undefined) return
          event.preventDefault()
          setActive(machine.id)
          setMenuOf(machine.id)
        }}
        onPointerOver={(event) => setShownCard(machineAt(event)?.id ?? null)}
        onPointerLeave={() => setShownCard(null)}
        onBlur={() => setShownCard(null)}
      >
        {grouped.map(({ environment, machines }) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by this role
          <div key={environment} role="group" aria-labelledby={`${prefix}-${environment}`} className={styles.group}>
            <h2 id={`${prefix}-${environment}`} className={styles.heading}>
              {environmentNames[environment]} <span>{machines.length}</span>
            </h2>
            <div className={styles.tiles} role="presentation">
              {machines.map((machine) => (
                <Tile
                  key={machine.id}
                  id={`${prefix}-${machine.id}`}
                  machine={machine}
                  active={machine === current}
                  selected={selected.has(machine.id)}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      {card !== undefined && <HoverCard machine={card} tile={tileOf(card.id)} />}
      {menuMachine !== undefined && (
        <MenuAt
          anchor={tileOf(menuMachine.id)}
          entries={machineMenu(menuMachine)}
          onClose={() => {
            setMenuOf(null)
            root.current?.focus()
          }}
        />
      )}
    </div>
  )
}

interface TileProps {
  id: string
  machine: MachineView
  active: boolean
  selected: boolean
}

const Tile = memo(function Tile({ id, machine, active, selected }: TileProps) {
  const look = machineLook(machine)
  const load = machine.metrics?.cpu.usagePercent
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, the tile is its active descendant
    <div
      id={id}
      role="option"
      aria-selected={selected}
      aria-label={`${machine.name}, ${look.word}${load === undefined ? '' : `, CPU ${Math.round(load)} %`}`}
      data-tile={machine.id}
      data-tone={look.tone}
      data-active={active ? '' : undefined}
      data-selected={selected ? '' : undefined}
      className={styles.tile}
    >
      <StateDot {...look} />
    </div>
  )
})

/** The tile above or below, as they stand on screen: the nearest in the next line. */
function neighbour(root: HTMLElement | null, from: HTMLElement | null, step: 1 | -1): string | undefined {
  if (root === null || from === null) return undefined
  const here = from.getBoundingClientRect()
  let best: { id: string | undefined; line: number; across: number } | undefined
  for (const tile of root.querySelectorAll<HTMLElement>('[data-tile]')) {
    const there = tile.getBoundingClientRect()
    const line = (there.top - here.top) * step
    if (line < 4) continue
    const across = Math.abs(there.left - here.left)
    if (best === undefined || line < best.line - 4 || (Math.abs(line - best.line) <= 4 && across < best.across))
      best = { id: tile.dataset['tile'], line, across }
  }
  return best?.id
}
