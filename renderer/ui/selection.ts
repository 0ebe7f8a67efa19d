/** Selecting in a list as people know it from files: one, a range from the last one, all. Pure. */
export interface Selecting {
  readonly selected: ReadonlySet<string>
  /** Where a range begins. */
  readonly anchor: string | null
}

export function toggle({ selected }: Selecting, id: string): Selecting {
  const next = new Set(selected)
  if (!next.delete(id)) next.add(id)
  return { selected: next, anchor: id }
}

/** Everything from the anchor to this one, in the order shown. */
export function extend({ selected, anchor }: Selecting, ids: readonly string[], to: string): Selecting {
  const from = anchor === null ? -1 : ids.indexOf(anchor)
  const end = ids.indexOf(to)
  if (end === -1) return { selected, anchor }
  if (from === -1) return { selected: new Set([...selected, to]), anchor: to }
  const range = ids.slice(Math.min(from, end), Math.max(from, end) + 1)
  return { selected: new Set([...selected, ...range]), anchor }
}

/** What is selected and still there. */
export function keepShown(selected: ReadonlySet<string>, exists: (id: string) => boolean): ReadonlySet<string> {
  const kept = [...selected].filter(exists)
  return kept.length === selected.size ? selected : new Set(kept)
}
