/** `stagehand/dom`, `magnitude`: a driver's name in pins and history. */
export function driverOf({ engine, mode }: { engine: string; mode: string | null }): string {
  return mode === null ? engine : `${engine}/${mode}`
}

const titles: Record<string, string> = {
  'stagehand/dom': 'Stagehand dom',
  'stagehand/cua': 'Stagehand cua',
  stagehand: 'Stagehand',
  magnitude: 'Magnitude',
  human: 'A person',
  none: 'Nobody',
}

/** An engine as a person reads it. */
export function driverTitle(driver: { engine: string; mode: string | null } | string): string {
  const name = typeof driver === 'string' ? driver : driverOf(driver)
  return titles[name] ?? name
}
