/** How well the letters of `query` stand, in order, in `text`; null when they do not. Higher is better. */
export function fuzzyScore(query: string, text: string): number | null {
  const wanted = query.toLowerCase().replace(/\s+/g, '')
  const given = text.toLowerCase()
  if (wanted === '') return 0
  let best: number | null = null
  // The first letter decides where a match may begin; each beginning is tried, so that
  // "live" in "Deliver · Live" finds the word and not the letters spread before it.
  for (let start = given.indexOf(wanted[0] ?? ''); start !== -1; start = given.indexOf(wanted[0] ?? '', start + 1)) {
    const score = scoreFrom(wanted, given, start)
    if (score !== null && (best === null || score > best)) best = score
  }
  return best
}

function scoreFrom(wanted: string, given: string, start: number): number | null {
  let score = 0
  let place = start - 1
  for (const letter of wanted) {
    const next = given.indexOf(letter, place + 1)
    if (next === -1) return null
    const afterBreak = next === 0 || /[\s\-_./:·]/.test(given[next - 1] ?? '')
    if (next === place + 1 && place >= start) score += 5
    else score -= Math.min(next - place - 1, 4)
    if (afterBreak) score += 8
    place = next
  }
  // Of two equal matches the shorter text is the closer one.
  return score - given.length * 0.01
}

/** The items that match, best first; with an empty query all of them, in their own order. */
export function fuzzyFilter<Item>(query: string, items: readonly Item[], text: (item: Item) => string): Item[] {
  if (query.trim() === '') return [...items]
  return items
    .map((item) => ({ item, score: fuzzyScore(query, text(item)) }))
    .filter((match): match is { item: Item; score: number } => match.score !== null)
    .sort((a, b) => b.score - a.score)
    .map((match) => match.item)
}
