/** Expressions are kept for as long as the console runs, and nowhere else: they may hold what nobody should find. */
const kept = 100
const histories = new Map<string, string[]>()

export function historyOf(machineId: string): readonly string[] {
  return histories.get(machineId) ?? []
}

/** Adds an expression as the newest; one that stood there before moves. */
export function remember(machineId: string, expression: string): void {
  const rest = historyOf(machineId).filter((one) => one !== expression)
  histories.set(machineId, [...rest, expression].slice(-kept))
}

/** Where the arrows lead from `at` places back; 0 is the line that is being written. */
export function step(history: readonly string[], at: number, by: 1 | -1): number {
  return Math.min(Math.max(at + by, 0), history.length)
}
