import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { classes } from './classes.ts'
import styles from './Table.module.css'

export interface Column<Row, Key extends string> {
  key: Key
  title: string
  /** A grid track, such as `minmax(110px, 1fr)`. */
  width: string
  /** False for marks and buttons. */
  sortable?: boolean
  mono?: boolean
  quiet?: boolean
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
  onSort: (key: Key) => void
  onOpen: (row: Row) => void
  /** The menu key, or Shift F10, on a row. */
  onMenu?: (row: Row) => void
  empty: ReactNode
}

const rowPx = 34
const headPx = 32

/** A table that draws only the rows in sight. One tab stop: arrows move, Enter opens. */
export function Table<Row, Key extends string>(props: TableProps<Row, Key>) {
  const { columns, rows, rowId, sort, onSort, onOpen, onMenu, marked } = props
  const scroller = useRef<HTMLDivElement>(null)
  const prefix = useId()
  const [active, setActive] = useState(0)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
    scrollPaddingStart: headPx,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : rowId(row)
    },
  })
  useEffect(() => {
    setActive((index) => Math.min(index, Math.max(0, rows.length - 1)))
  }, [rows.length])

  const move = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1)
    setActive(next)
    virtual.scrollToIndex(next)
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
    if (target !== undefined) move(target)
    else if (event.key === 'Enter' && row !== undefined) onOpen(row)
    else if ((event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) && row !== undefined)
      onMenu?.(row)
    else return
    event.preventDefault()
  }

  // One function for all time, so that a row is drawn again only when it changed itself.
  const latest = useRef(onOpen)
  latest.current = onOpen
  const open = useCallback((row: Row) => latest.current(row), [])

  const tracks = { '--columns': columns.map((column) => column.width).join(' ') } as CSSProperties
  const items = virtual.getVirtualItems()
  const activeShown = items.some((item) => item.index === active)
  return (
    <div className={styles.frame} style={tracks}>
      {/* biome-ignore lint/a11y/useSemanticElements: a real <table> cannot draw only the rows in sight */}
      <div
        ref={scroller}
        role="grid"
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={activeShown ? `${prefix}-${active}` : undefined}
        data-testid={props.testId}
        className={styles.scroller}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <Head columns={columns} sort={sort} onSort={onSort} />
        {rows.length === 0 && props.empty}
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div className={styles.body} style={{ height: virtual.getTotalSize() }} role="rowgroup">
          {items.map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              <TableRow
                key={item.key}
                id={`${prefix}-${item.index}`}
                row={row}
                rowKey={rowId(row)}
                index={item.index}
                start={item.start}
                active={item.index === active}
                marked={marked?.(row) === true}
                columns={columns}
                onOpen={open}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface TableRowProps<Row, Key extends string> {
  id: string
  row: Row
  rowKey: string
  index: number
  start: number
  active: boolean
  marked: boolean
  columns: readonly Column<Row, Key>[]
  onOpen: (row: Row) => void
}

function PlainRow<Row, Key extends string>(props: TableRowProps<Row, Key>) {
  const { row, index, active } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself takes the keys for its active row
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, the row is its active descendant
    // biome-ignore lint/a11y/useSemanticElements: a real <table> cannot draw only the rows in sight
    <div
      id={props.id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={active}
      data-active={active ? '' : undefined}
      data-marked={props.marked ? '' : undefined}
      data-row={props.rowKey}
      className={classes(styles.row, styles.bodyRow)}
      style={{ transform: `translateY(${props.start}px)` }}
      onClick={() => props.onOpen(row)}
    >
      {props.columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: see above
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        <div
          key={column.key}
          role="gridcell"
          className={styles.cell}
          data-mono={column.mono === true ? '' : undefined}
          data-quiet={column.quiet === true ? '' : undefined}
          data-plain={column.sortable === false ? '' : undefined}
          data-column={column.key}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
}

const TableRow = memo(PlainRow) as typeof PlainRow

function Head<Row, Key extends string>({
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
