/** Prices as text, one kind of instance a line. */
export function printPrices(usdPerHour: Readonly<Record<string, number>>): string {
  return Object.entries(usdPerHour)
    .map(([type, usd]) => `${type} ${usd}`)
    .join('\n')
}

export function parsePrices(text: string): { usdPerHour: Record<string, number> } | { mistake: string } {
  const usdPerHour: Record<string, number> = {}
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue
    const [type = '', price = '', ...rest] = line.split(/\s+/)
    const usd = Number(price)
    if (!/^[a-z0-9-]+\.[a-z0-9-]+$/.test(type) || price === '' || rest.length > 0 || !(usd >= 0 && usd <= 1000))
      return { mistake: `"${line}" is not a kind of instance and its price, as in "t3.large 0.0832".` }
    usdPerHour[type] = usd
  }
  return { usdPerHour }
}
