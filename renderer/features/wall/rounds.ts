/** Looks at each visible machine now and then, a few at once, whoever waits longest first. */
export interface Rounds {
  /** Machines that are in sight now; the others are left alone. */
  see(ids: ReadonlySet<string>): void
  stop(): void
}

interface RoundsOptions {
  /** Gets one picture; must settle. */
  look: (id: string) => Promise<void>
  /** From the end of one look to the next at the same machine. */
  everyMs: number
  atOnce: number
}

export function startRounds({ look, everyMs, atOnce }: RoundsOptions): Rounds {
  let seen: ReadonlySet<string> = new Set()
  const due = new Map<string, number>()
  const looking = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  const next = () => {
    clearTimeout(timer)
    if (stopped) return
    const waiting = [...seen].filter((id) => !looking.has(id)).sort((a, b) => (due.get(a) ?? 0) - (due.get(b) ?? 0))
    const now = Date.now()
    for (const id of waiting) {
      if (looking.size >= atOnce) return
      const at = due.get(id) ?? 0
      if (at > now) {
        timer = setTimeout(next, at - now)
        return
      }
      looking.add(id)
      void look(id)
        .catch(() => {})
        .finally(() => {
          looking.delete(id)
          due.set(id, Date.now() + everyMs)
          next()
        })
    }
  }
  return {
    see(ids) {
      seen = ids
      next()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
