/**
 * How much a client wants a type, by its `Accept` header (RFC 9110, 12.5.1): the weight of the closest match, and how
 * close that is. Nothing wanted at all is a weight of 0.
 */
function wanted(accept: string, type: string): { weight: number; closeness: number } {
  const [kind = ''] = type.split('/')
  let best = { weight: 0, closeness: -1 }
  for (const item of accept.split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const closeness = range === type ? 2 : range === `${kind}/*` ? 1 : range === '*/*' ? 0 : -1
    if (closeness < 0 || closeness < best.closeness) continue
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = given === undefined ? 1 : Number(given.slice(2))
    best = { weight: weight >= 0 && weight <= 1 ? weight : 0, closeness }
  }
  return best
}

/**
 * The one of `types` that a client likes best. Of those it likes the same, the one it names more exactly, then the
 * first: a client that takes anything gets what it always got.
 */
export function preferredType<const Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...Type[]],
): Type {
  if (accept === undefined || accept.trim() === '') return types[0]
  let best = types[0]
  for (const type of types) {
    const [one, other] = [wanted(accept, type), wanted(accept, best)]
    const closer = one.weight > 0 && one.weight === other.weight && one.closeness > other.closeness
    if (one.weight > other.weight || closer) best = type
  }
  return best
}
