import type { LogLine } from '../../shared/contract/logs.ts'
import { comparePositions, earlier, type LogPosition, milliseconds, nanoTimeOf } from '../../shared/domain/log-time.ts'
import type { LineSource } from './sources.ts'

/** A reader, as the feed sees it. */
export interface FeedReader {
  push(lines: readonly LogLine[]): void
  notice(message: string): void
  whenRoom(): void | Promise<void>
}

/** The last line of each container; of a source without containers, of the source. */
type Places = Map<string, LogPosition>

interface Seat {
  reader: FeedReader
  /** Was waited for in vain: the others go on without it, and it drops what it has no room for. */
  slow: boolean
  /** What the reader already has from catching up, of each container. */
  through: Places | undefined
}

/** A reader that catches up is let into the common stream when it is this near. */
const nearMs = 2000
const behindMs = 1000
const endOfMoment = 999_999_999
/** A burst is read faster than any socket takes it: readers that do take it are given this long. */
const patienceMs = 500

/**
 * One following of a source for all its readers. A reader that resumes first catches up on a stream of its own,
 * which waits for it, and changes over at a line that both streams have passed: none is lost, none comes twice.
 */
export class Feed {
  readonly #source: LineSource
  readonly #onIdle: () => void
  readonly #seats = new Set<Seat>()
  #catchingUp = 0
  #stop: (() => void) | undefined
  #began = ''
  #last: Places = new Map()

  constructor(source: LineSource, onIdle: () => void) {
    this.#source = source
    this.#onIdle = onIdle
  }

  /** How many streams of the source are open: one, besides those that catch up. */
  get shared(): boolean {
    return this.#stop !== undefined
  }

  /** Returns the way to leave. */
  join(reader: FeedReader, after?: LogPosition): () => void {
    let leave =
      after === undefined ? this.#sit(reader, undefined) : this.#catchUp(reader, after, (next) => (leave = next))
    return () => leave()
  }

  #catchUp(reader: FeedReader, after: LogPosition, moveTo: (leave: () => void) => void): () => void {
    this.#catchingUp++
    const places: Places = new Map()
    let done = false
    const end = () => {
      if (done) return
      done = true
      stop()
      this.#catchingUp--
      this.#leaveIfEmpty()
    }
    const stop = this.#source.follow(after, {
      notice: (message) => reader.notice(message),
      lines: (lines) => {
        const last = lines.at(-1)
        if (done || last === undefined) return
        reader.push(lines)
        note(places, lines)
        if (Date.now() - milliseconds(last.timestamp) < nearMs) this.#begin()
        if (this.#isPassedBy(last, places)) {
          moveTo(this.#sit(reader, places))
          end()
          return
        }
        return reader.whenRoom()
      },
    })
    return end
  }

  /** Whether a stream has all that the common one did not send or has sent already. */
  #isPassedBy(last: LogLine, places: Places): boolean {
    if (!this.shared) return false
    // Of several containers, one may be a moment behind the others.
    if (earlier(last.timestamp, last.container === undefined ? 0 : behindMs) <= this.#began) return false
    for (const [container, sent] of this.#last) {
      const place = places.get(container)
      if (place === undefined || comparePositions(place, sent) < 0) return false
    }
    return true
  }

  #sit(reader: FeedReader, through: Places | undefined): () => void {
    const seat: Seat = { reader, through, slow: false }
    this.#seats.add(seat)
    this.#begin()
    return () => {
      this.#seats.delete(seat)
      this.#leaveIfEmpty()
    }
  }

  #begin(): void {
    if (this.#stop !== undefined) return
    this.#began = nanoTimeOf(Date.now())
    this.#last = new Map()
    this.#stop = this.#source.follow(
      { timestamp: this.#began, seq: endOfMoment },
      {
        notice: (message) => {
          for (const { reader } of this.#seats) reader.notice(message)
        },
        lines: (lines) => this.#deal(lines),
      },
    )
  }

  #deal(lines: LogLine[]): void | Promise<void> {
    const last = lines.at(-1)
    if (last === undefined) return
    note(this.#last, lines)
    for (const seat of this.#seats) {
      const { through } = seat
      if (through === undefined) {
        seat.reader.push(lines)
        continue
      }
      const fresh = lines.filter((line) => {
        const place = through.get(line.container ?? '')
        if (place === undefined) return true
        if (comparePositions(positionOf(line), place) <= 0) return false
        // All that follows is new as well, also where a clock is set back.
        through.delete(line.container ?? '')
        return true
      })
      if (fresh.length > 0) seat.reader.push(fresh)
      if (through.size === 0) seat.through = undefined
    }
    return this.#catchBreath()
  }

  /** Holds the source back until every reader has room, except those that are slow. */
  #catchBreath(): void | Promise<void> {
    const waits: Promise<void>[] = []
    const awaited: Seat[] = []
    for (const seat of this.#seats) {
      const room = seat.slow ? undefined : seat.reader.whenRoom()
      if (room === undefined) continue
      awaited.push(seat)
      waits.push(
        room.then(() => {
          seat.slow = false
          awaited.splice(awaited.indexOf(seat), 1)
        }),
      )
    }
    if (waits.length === 0) return
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const seat of awaited) seat.slow = true
        resolve()
      }, patienceMs)
      void Promise.all(waits).then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #leaveIfEmpty(): void {
    if (this.#seats.size > 0 || this.#catchingUp > 0) return
    this.#stop?.()
    this.#stop = undefined
    this.#onIdle()
  }
}

function note(places: Places, lines: readonly LogLine[]): void {
  const last = lines.at(-1)
  // Without containers only the last counts, and there may be thousands.
  if (last !== undefined && last.container === undefined) places.set('', positionOf(last))
  else for (const line of lines) places.set(line.container ?? '', positionOf(line))
}

function positionOf(line: LogLine): LogPosition {
  return { timestamp: line.timestamp, seq: line.seq ?? 0 }
}
