/** A line of the table as it stands in its fields. */
export interface PriceRow {
  /** Which line it is, whatever is typed into it. */
  id: number
  type: string
  usd: string
}

export function priceRows(usdPerHour: Readonly<Record<string, number>>): PriceRow[] {
  return Object.entries(usdPerHour).map(([type, usd], id) => ({ id, type, usd: String(usd) }))
}

/** What is wrong with a line, by its id; and the table, when nothing is. */
export function readPrices(rows: readonly PriceRow[]): {
  mistakes: ReadonlyMap<number, string>
  usdPerHour: Record<string, number>
} {
  const mistakes = new Map<number, string>()
  const usdPerHour: Record<string, number> = {}
  for (const { id, type: typed, usd: price } of rows) {
    const type = typed.trim()
    const usd = Number(price)
    if (!/^[a-z0-9-]+\.[a-z0-9-]+$/.test(type)) mistakes.set(id, 'A kind of instance looks like t3.large.')
    else if (Object.hasOwn(usdPerHour, type)) mistakes.set(id, `${type} stands there twice.`)
    else if (price.trim() === '' || !(usd >= 0 && usd <= 1000)) mistakes.set(id, 'A price is a number from 0 to 1000.')
    else usdPerHour[type] = usd
  }
  return { mistakes, usdPerHour }
}
