/** A value as V8 itself writes it down (WebDriver BiDi's form), without running any code of the page. */
export interface DeepValue {
  type: string
  value?: unknown
}

/** The same as JSON would have it, had the page left JSON alone. */
export function plainDeep(deep: DeepValue | undefined): unknown {
  if (deep === undefined) return null
  const { type, value } = deep
  switch (type) {
    case 'array':
      return Array.isArray(value) ? value.map((item: DeepValue) => plainDeep(item)) : []
    case 'object':
      return Object.fromEntries(entries(value).map(([key, item]) => [key, plainDeep(item)]))
    case 'number':
      // NaN and the infinities come as words, and JSON has none of them.
      return typeof value === 'number' ? value : null
    case 'string':
    case 'boolean':
    case 'date':
      return value ?? null
    case 'undefined':
    case 'null':
      return null
    default:
      return {}
  }
}

/** JSON leaves out what it has no word for. */
function entries(value: unknown): [string, DeepValue][] {
  const pairs = Array.isArray(value) ? (value as [unknown, DeepValue][]) : []
  return pairs.flatMap(([key, item]) =>
    typeof key !== 'string' || ['undefined', 'function', 'symbol'].includes(item.type) ? [] : [[key, item]],
  )
}
