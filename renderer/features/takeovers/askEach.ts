/** Does something for each, so many at once; one that fails does not keep the others back. */
export async function askEach<Item>(
  items: readonly Item[],
  atOnce: number,
  ask: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items]
  const work = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await ask(item).catch(() => {})
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
}
