import { useMemo, useState } from 'react'
import type { Sort } from './Table.tsx'

type Comparable = string | number | null

/** Rows in the order that a person chose; a third press on a column gives the order they came in. */
export function useSort<Row, Key extends string>(
  rows: readonly Row[],
  by: Readonly<Partial<Record<Key, (row: Row) => Comparable>>>,
): { rows: readonly Row[]; sort: Sort<Key> | null; onSort: (key: Key) => void } {
  const [sort, setSort] = useState<Sort<Key> | null>(null)
  const sorted = useMemo(() => (sort === null ? rows : sortRows(rows, by[sort.key], sort.descending)), [rows, by, sort])
  const onSort = (key: Key) => {
    if (by[key] === undefined) return
    setSort((now) => {
      if (now?.key !== key) return { key, descending: false }
      return now.descending ? null : { key, descending: true }
    })
  }
  return { rows: sorted, sort, onSort }
}

/** What is not known stands last, whichever way round. */
export function sortRows<Row>(
  rows: readonly Row[],
  of: ((row: Row) => Comparable) | undefined,
  descending: boolean,
): readonly Row[] {
  if (of === undefined) return rows
  const sign = descending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [left, right] = [of(a), of(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    if (typeof left === 'number' && typeof right === 'number') return sign * (left - right)
    return sign * String(left).localeCompare(String(right), 'en', { numeric: true })
  })
}
