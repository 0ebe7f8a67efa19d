import type { Watcher } from '../../../shared/contract/takeover.ts'

/** Who watches besides this window, in words. Another window of the same person has the same name. */
export function describeWatching(
  watching: readonly Watcher[] | null,
  viewers: number,
  connected: boolean,
  operator: string,
): string {
  const total = watching?.length ?? viewers
  const others = Math.max(0, total - (connected ? 1 : 0))
  if (others === 0) return connected ? 'Only you are watching' : 'Nobody else is watching'
  const names = othersOf(watching ?? [], connected ? operator : null)
  const many = `${others} other${others === 1 ? '' : 's'} watching`
  return names.length === 0 ? many : `${many}: ${names.join(', ')}`
}

function othersOf(watching: readonly Watcher[], self: string | null): string[] {
  const rest = [...watching]
  const own = self === null ? -1 : rest.findIndex(({ operator }) => operator === self)
  if (own !== -1) rest.splice(own, 1)
  return rest.map(({ operator }) => (operator === null ? 'someone without a name' : operator))
}
