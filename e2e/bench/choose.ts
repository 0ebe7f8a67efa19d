/** Benches by name, or by the first word of their names; throws with all the names when one is unknown. */
export function choose<Named extends { name: string }>(all: readonly Named[], only: string | undefined): Named[] {
  if (only === undefined) return [...all]
  const wanted = only
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const fits = (bench: Named, name: string) => bench.name === name || bench.name.startsWith(`${name}.`)
  const unknown = wanted.filter((name) => !all.some((bench) => fits(bench, name)))
  if (wanted.length === 0 || unknown.length > 0) {
    const names = all.map(({ name }) => name).join(', ')
    throw new Error(
      `There is no bench ${unknown.map((name) => `"${name}"`).join(', ') || 'without a name'}. There are: ${names}.`,
    )
  }
  return all.filter((bench) => wanted.some((name) => fits(bench, name)))
}
