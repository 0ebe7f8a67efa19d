import { work } from '../../app/work.ts'

interface Going {
  /** It is no longer wanted; what stops it may take a moment yet. */
  leave: (stopping?: Promise<unknown>) => void
  done: Promise<boolean>
}

const underWay = new Map<string, Going>()

/**
 * Leads a page elsewhere. The last wish counts, as in any browser: one that is still under way is no longer waited for,
 * and whoever gave it up is not told that it failed.
 */
export async function goOn(key: string, what: string, task: () => Promise<unknown>): Promise<boolean> {
  for (let before = underWay.get(key); before !== undefined; before = underWay.get(key)) {
    before.leave()
    await before.done
  }
  const { promise: left, resolve } = Promise.withResolvers<unknown>()
  let unwanted = false
  const arrived = async () => {
    try {
      await task()
    } catch (error) {
      if (!unwanted) throw error
      await left
    }
  }
  const mine: Going = {
    leave(stopping) {
      unwanted = true
      resolve(stopping)
    },
    done: work(key, what, async () => {
      await Promise.race([arrived(), left])
    }),
  }
  underWay.set(key, mine)
  const done = await mine.done
  if (underWay.get(key) === mine) underWay.delete(key)
  return done
}

/** Gives up where the page is being led; it counts as under way until it has been stopped. */
export async function giveUp(key: string, stop: () => Promise<unknown>): Promise<void> {
  const stopping = stop()
  // Whether it worked is for whoever asked for it to say.
  underWay.get(key)?.leave(stopping.catch(() => {}))
  await stopping
}
