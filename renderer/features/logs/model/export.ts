import { flag, type LineStore, levelNames } from './line-store.ts'
import type { LogView } from './view.ts'

/** Lines that are put into one part. */
const partLines = 2000

/** Gives what is seen as text, part by part, then null. */
export function exporter(
  store: LineStore,
  view: LogView,
  format: 'text' | 'jsonl',
  names: readonly { machine: string; service: string }[],
): () => string | null {
  let next = 0
  return () => {
    const serials = view.seenFrom(next, partLines)
    if (serials.length === 0) return null
    next += serials.length
    let text = ''
    for (const serial of serials) text += `${format === 'text' ? asText(serial) : asJson(serial)}\n`
    return text
  }

  function asText(serial: number): string {
    const { machine, service } = names[store.source(serial)] ?? { machine: '', service: '' }
    const time = new Date(store.time(serial)).toISOString()
    if ((store.flags(serial) & flag.mark) !== 0) return `${time} ----- ${machine} ${service} (${store.message(serial)})`
    const level = (levelNames[store.level(serial)] || '-').toUpperCase().padEnd(5)
    // What continues is set in, so that no line of a message can pass for one of the log.
    return `${time} ${level} ${machine} ${service} ${store.message(serial).replaceAll('\n', '\n    ')}`
  }

  function asJson(serial: number): string {
    const { machine, service } = names[store.source(serial)] ?? { machine: '', service: '' }
    const isMark = (store.flags(serial) & flag.mark) !== 0
    return JSON.stringify({
      time: new Date(store.time(serial)).toISOString(),
      ...(isMark ? { mark: true } : { level: levelNames[store.level(serial)] || null }),
      machine,
      service,
      message: store.message(serial),
    })
  }
}
