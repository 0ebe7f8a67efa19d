import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { classes } from './classes.ts'
import { isMac } from './keys.ts'
import { extend, toggle } from './selection.ts'
import { noSlots, takeSlots } from './slots.ts'
import styles from './Table.module.css'
import { TableRow } from './TableRow.tsx'

export interface Column<Row, Key extends string> {
  key: Key
  title: string
  /** A grid track, such as `minmax(110px, 1fr)`. */
  width: string
  sortable?: boolean
  /** A mark or a button: nothing to shorten, nothing to clip. */
  plain?: boolean
  /** A few known words or a figure, which the width has room for: nothing to shorten either. */
  fits?: boolean
  mono?: boolean
  quiet?: boolean
  /** A press on it selects the row. */
  selects?: boolean
  /** A text that came from elsewhere: written in its own direction, and in full under the pointer. */
  text?: (row: Row) => string | null
  /** How it looks for this row; a class on the cell is cheaper than an element in it. */
  look?: (row: Row) => string | undefined
  cell: (row: Row) => ReactNode
}

export interface Sort<Key extends string> {
  key: Key
  descending: boolean
}

interface TableProps<Row, Key extends string> {
  label: string
  testId?: string
  columns: readonly Column<Row, Key>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  marked?: (row: Row) => boolean
  sort: Sort<Key> | null
  /** Left out where nothing can be sorted. */
  onSort?: ((key: Key) => void) | undefined
  /** Enter, or a click; `aside` with Ctrl or ⌘ held, for somewhere else than here. */
  onOpen: (row: Row, aside: boolean) => void
  /** The keyboard came to this row. */
  onActive?: (row: Row) => void
  /** With this, arrows and a click only say which row is meant, and Enter or a double click opens it. */
  onPick?: ((row: Row) => void) | undefined
  /** The row that is brought into sight and is the active one, whenever another is named. */
  current?: string | null
  /** The menu key, Shift F10, a dot, or the right button, on a row. */
  onMenu?: (row: Row) => void
  /** With these several rows can be chosen: space, shift with arrows or a click, mod+a. */
  selected?: ReadonlySet<string>
  onSelect?: (selected: ReadonlySet<string>) => void
  /**
   * Given, rows use each other's elements again, which makes leaps through a thousand of them cheap; the row of this
   * id, which has something open, keeps its own wherever it goes.
   */
  kept?: string | null
  /** The last rows are in sight: there may be more to fetch. */
  onEnd?: (() => void) | undefined
  empty: ReactNode
}

const rowPx = 34
const headPx = 32

/** A table that draws only the rows in sight. One tab stop: arrows move, Enter opens, space selects. */
export function Table<Row, Key extends string>(props: TableProps<Row, Key>) {
  const { columns, rows, rowId, sort, onSort, onOpen, onPick, onMenu, marked, selected, onSelect } = props
  const scroller = useRef<HTMLDivElement>(null)
  const prefix = useId()
  const [meant, setMeant] = useState<MeantRow>({ index: 0, id: undefined })
  // Rows come, go and change places by themselves: the next key must not reach another one than was meant.
  const active = useMemo(() => placeOf(meant, rows, rowId), [meant, rows, rowId])
  const anchor = useRef<string | null>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    // The compositor scrolls without waiting: these stand ready while the next are drawn.
    overscan: 4,
    // The head stands before the first row, and stays over whatever is first in sight.
    scrollPaddingEnd: headPx,
    // About as much as a table has of a window: its rows are in the first picture, and not in the second, measured one.
    initialRect: { width: 0, height: innerHeight * 0.65 },
  })
  const move = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1)
    setMeant({ index: next, id: idAt(next) })
    virtual.scrollToIndex(next)
    const row = rows[next]
    if (row !== undefined) props.onActive?.(row)
  }
  const { current = null } = props
  const currentIndex = current === null ? -1 : rows.findIndex((row) => rowId(row) === current)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another row is named, or the same stands elsewhere
  useEffect(() => {
    if (currentIndex !== -1) move(currentIndex)
  }, [current, currentIndex])
  const idAt = (index: number) => {
    const row = rows[index]
    return row === undefined ? undefined : rowId(row)
  }
  const selectOne = (id: string) => {
    if (selected === undefined) return
    const next = toggle({ selected, anchor: anchor.current }, id)
    anchor.current = next.anchor
    onSelect?.(next.selected)
  }
  const selectTo = (id: string) => {
    if (selected === undefined) return
    const next = extend({ selected, anchor: anchor.current }, rows.map(rowId), id)
    anchor.current = next.anchor
    onSelect?.(next.selected)
  }
  /** Keys that select; false when it was none of them. */
  const selectByKey = (event: KeyboardEvent): boolean => {
    if (selected === undefined) return false
    const id = idAt(active)
    const mod = isMac ? event.metaKey : event.ctrlKey
    if (event.key === ' ' && id !== undefined) selectOne(id)
    else if (event.key.toLowerCase() === 'a' && mod) onSelect?.(new Set(rows.map(rowId)))
    else if (event.key === 'Escape' && selected.size > 0) onSelect?.(new Set())
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current) return
    const page = Math.max(1, Math.floor((scroller.current.clientHeight - headPx) / rowPx) - 1)
    const row = rows[active]
    const to: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    }
    const target = to[event.key]
    if (target !== undefined) {
      const from = idAt(active)
      if (event.shiftKey && from !== undefined) anchor.current ??= from
      move(target)
      const id = idAt(Math.min(Math.max(target, 0), rows.length - 1))
      if (event.shiftKey && id !== undefined) selectTo(id)
      const picked = rows[Math.min(Math.max(target, 0), rows.length - 1)]
      if (picked !== undefined) onPick?.(picked)
    } else if (event.key === 'Enter' && row !== undefined) onOpen(row, isMac ? event.metaKey : event.ctrlKey)
    else if (isMenuKey(event) && row !== undefined) onMenu?.(row)
    else if (!selectByKey(event)) return
    event.preventDefault()
  }

  // One function for all time, so that a row is drawn again only when it changed itself.
  const latest = useRef({ onOpen, onPick, onMenu, selectOne, selectTo, idOf: rowId })
  latest.current = { onOpen, onPick, onMenu, selectOne, selectTo, idOf: rowId }
  const press = useCallback((row: Row, index: number, event: MouseEvent) => {
    const now = latest.current
    setMeant({ index, id: now.idOf(row) })
    const onMark = event.target instanceof Element && event.target.closest('[data-select]') !== null
    if (event.shiftKey) now.selectTo(now.idOf(row))
    else if (onMark) now.selectOne(now.idOf(row))
    else if (now.onPick !== undefined && event.detail < 2) now.onPick(row)
    else now.onOpen(row, isMac ? event.metaKey : event.ctrlKey)
  }, [])
  const menu = useCallback((row: Row, index: number, event: MouseEvent) => {
    if (latest.current.onMenu === undefined) return
    event.preventDefault()
    setMeant({ index, id: latest.current.idOf(row) })
    latest.current.onMenu(row)
  }, [])

  const tracks = { '--columns': columns.map((column) => column.width).join(' ') } as CSSProperties
  const items = virtual.getVirtualItems()
  const atEnd = (items.at(-1)?.index ?? -1) >= rows.length - 1 && rows.length > 0
  const onEnd = useRef(props.onEnd)
  onEnd.current = props.onEnd
  // Asked again when rows came and the end is still in sight.
  useEffect(() => {
    if (atEnd && rows.length > 0) onEnd.current?.()
  }, [atEnd, rows.length])
  const slots = useRef(noSlots)
  slots.current = takeSlots(slots.current, items[0]?.index ?? 0, items.length)
  const keyOf = (place: number, id: string) =>
    props.kept === undefined || props.kept === id ? `row ${id}` : slots.current.keys[place]
  const activeShown = items.some((item) => item.index === active)
  return (
    <div className={styles.frame} style={tracks}>
      {/* biome-ignore lint/a11y/useSemanticElements: a real <table> cannot draw only the rows in sight */}
      <div
        ref={scroller}
        role="grid"
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={selected === undefined ? undefined : true}
        aria-activedescendant={activeShown ? `${prefix}-${active}` : undefined}
        data-testid={props.testId}
        className={styles.scroller}
        data-empty={rows.length === 0 ? '' : undefined}
        tabIndex={0}
        onFocus={() => meant.id === undefined && setMeant({ index: active, id: idAt(active) })}
        onKeyDown={onKeyDown}
      >
        <Head columns={columns} sort={sort} onSort={onSort} />
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div className={styles.body} style={{ height: virtual.getTotalSize() }} role="rowgroup">
          {items.map((item, place) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              <TableRow
                key={keyOf(place, rowId(row))}
                id={`${prefix}-${item.index}`}
                row={row}
                rowKey={rowId(row)}
                index={item.index}
                start={item.start}
                active={item.index === active}
                marked={marked?.(row) === true}
                selected={selected?.has(rowId(row))}
                columns={columns}
                onPress={press}
                onMenu={menu}
              />
            )
          })}
        </div>
      </div>
      {rows.length === 0 && <div className={styles.empty}>{props.empty}</div>}
    </div>
  )
}

/** The row that keys are about: where it stood when it was gone to, and which one it is. */
interface MeantRow {
  index: number
  id: string | undefined
}

/** Where the row stands by now; one that is gone leaves its place to the next. */
export function placeOf<Row>({ index, id }: MeantRow, rows: readonly Row[], rowId: (row: Row) => string): number {
  const there = rows[index]
  if (id === undefined || (there !== undefined && rowId(there) === id)) return clamp(index, rows.length)
  const found = rows.findIndex((row) => rowId(row) === id)
  return clamp(found === -1 ? index : found, rows.length)
}

const clamp = (index: number, length: number) => Math.min(index, Math.max(0, length - 1))

function isMenuKey({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return true
  return key === '.' && !ctrlKey && !metaKey && !altKey
}

function PlainHead<Row, Key extends string>({
  columns,
  sort,
  onSort,
}: Pick<TableProps<Row, Key>, 'columns' | 'sort' | 'onSort'>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a real <table> cannot draw only the rows in sight
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons take the focus
    <div role="row" aria-rowindex={1} className={classes(styles.row, styles.head)}>
      {columns.map((column) => {
        const sorted = sort?.key === column.key ? (sort.descending ? 'descending' : 'ascending') : undefined
        return (
          // biome-ignore lint/a11y/useSemanticElements: see above
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <div key={column.key} role="columnheader" aria-sort={sorted} className={styles.headCell}>
            {column.sortable === false ? (
              <span className="visually-hidden">{column.title}</span>
            ) : onSort === undefined ? (
              <span className={styles.title}>{column.title}</span>
            ) : (
              <button type="button" className={styles.sort} onClick={() => onSort(column.key)}>
                {column.title}
                {sorted === 'ascending' && <ArrowUp size={12} aria-hidden />}
                {sorted === 'descending' && <ArrowDown size={12} aria-hidden />}
              </button>
            )}
          </div>
        )
      })}
    </div>
  )
}

/** Drawn again for another order or other columns, and not with every row that scrolls into sight. */
const Head = memo(PlainHead) as typeof PlainHead
