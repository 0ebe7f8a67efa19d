import { Problem } from '../shared/errors.ts'

/** Waits for the work, but no longer than anyone wants it: what was begun may end later, unheard. */
export async function unlessCancelled<Answer>(work: Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  if (signal === undefined) return work
  let stopListening = () => {}
  const cancelled = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Problem('cancelled', 'It was cancelled.'))
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp)
    stopListening = () => signal.removeEventListener('abort', giveUp)
  })
  return Promise.race([work, cancelled]).finally(() => stopListening())
}
