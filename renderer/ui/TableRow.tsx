import { type MouseEvent, memo } from 'react'
import { classes } from './classes.ts'
import styles from './Table.module.css'
import type { Column } from './Table.tsx'

interface TableRowProps<Row, Key extends string> {
  id: string
  row: Row
  rowKey: string
  index: number
  start: number
  active: boolean
  marked: boolean
  /** Undefined where rows cannot be selected. */
  selected: boolean | undefined
  columns: readonly Column<Row, Key>[]
  onPress: (row: Row, index: number, event: MouseEvent) => void
  onMenu: (row: Row, index: number, event: MouseEvent) => void
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
      aria-selected={props.selected ?? active}
      data-selected={props.selected === true ? '' : undefined}
      data-active={active ? '' : undefined}
      data-marked={props.marked ? '' : undefined}
      data-row={props.rowKey}
      className={classes(styles.row, styles.bodyRow)}
      style={{ top: props.start }}
      onClick={(event) => props.onPress(row, index, event)}
      onContextMenu={(event) => props.onMenu(row, index, event)}
    >
      {props.columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: see above
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        <div
          key={column.key}
          role="gridcell"
          className={classes(cellClass(column), column.look?.(row))}
          title={column.text?.(row) ?? undefined}
          data-select={column.selects === true ? '' : undefined}
          data-column={column.key}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
}

function cellClass<Row, Key extends string>(column: Column<Row, Key>): string {
  const { plain, fits, mono, quiet, text } = column
  return classes(
    styles.cell,
    plain === true && styles.plain,
    fits === true && styles.fits,
    mono === true && styles.mono,
    quiet === true && styles.quiet,
    text !== undefined && styles.text,
  )
}

/** Drawn again only when it changed itself. */
export const TableRow = memo(PlainRow) as typeof PlainRow
