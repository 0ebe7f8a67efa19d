import type { z } from 'zod'
import type { consoleMessage } from '../../shared/contract/page-watching.ts'
import { keptText } from '../../shared/domain/kept-text.ts'
import type { CdpParams, CdpSession } from '../browser/cdp.ts'
import { Ring } from './ring.ts'

export type ConsoleMessage = z.infer<typeof consoleMessage>

/** The longest text that is kept of one message: a page must not be able to fill the agent's memory. */
const maxText = 10_000
const maxUrl = 2048
const kept = 1000
const levels: Record<string, string> = {
  warning: 'warn',
  error: 'error',
  assert: 'error',
  info: 'info',
  debug: 'debug',
}
const logLevels: Record<string, string> = { verbose: 'debug', info: 'info', warning: 'warn', error: 'error' }

interface RemoteObject {
  type: string
  subtype?: string
  value?: unknown
  unserializableValue?: string
  description?: string
  preview?: { properties?: { name: string; value?: string; type: string }[]; overflow?: boolean; description?: string }
}
interface CallFrame {
  url?: string
  lineNumber?: number
}

/** What pages and their workers write to the console, errors that nobody caught, and what the browser adds. */
export class ConsoleLog {
  readonly #ring = new Ring<ConsoleMessage>(kept)
  readonly #onMessage: (message: ConsoleMessage) => void

  constructor(onMessage: (message: ConsoleMessage) => void) {
    this.#onMessage = onMessage
  }

  list(): ConsoleMessage[] {
    return this.#ring.list()
  }

  /** Takes what a conversation tells, as long as that is `believed`. */
  follow(cdp: CdpSession, believed: () => boolean = () => true): () => void {
    const on = (method: string, take: (params: CdpParams) => void) =>
      cdp.on(method, (params) => {
        if (believed()) take(params)
      })
    const stops = [
      on('Runtime.consoleAPICalled', (params) => this.#called(params)),
      on('Runtime.exceptionThrown', (params) => this.#thrown(params)),
      on('Log.entryAdded', (params) => this.#logged(params['entry'] as CdpParams)),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  #called(params: CdpParams): void {
    const frame = (params['stackTrace'] as { callFrames?: CallFrame[] } | undefined)?.callFrames?.[0]
    const text = messageText((params['args'] as RemoteObject[] | undefined) ?? [])
    this.#add(levels[String(params['type'])] ?? 'log', text, frame, Number(params['timestamp']))
  }

  #thrown(params: CdpParams): void {
    const details = params['exceptionDetails'] as CallFrame & { text: string; exception?: RemoteObject }
    const text = details.exception === undefined ? details.text : `${details.text} ${textOf(details.exception)}`
    this.#add('error', text, details, Number(params['timestamp']))
  }

  #logged(entry: CdpParams): void {
    // Chromium tells the page once more, in poorer words, what a worker of it said: that one is listened to itself.
    if (entry['source'] === 'worker') return
    const place = { url: entry['url'], lineNumber: entry['lineNumber'] } as CallFrame
    this.#add(logLevels[String(entry['level'])] ?? 'log', String(entry['text']), place, Number(entry['timestamp']))
  }

  #add(level: string, text: string, place: CallFrame | undefined, timestamp: number): void {
    const message = {
      level,
      text: keptText(text, maxText),
      url: keptText(place?.url ?? '', maxUrl) || null,
      line: place?.lineNumber === undefined ? null : place.lineNumber + 1,
      timestamp: new Date(timestamp).toISOString(),
    }
    this.#ring.push(message)
    this.#onMessage(message)
  }
}

/** What a console shows of the arguments; the first may say how the others are to be put into it. */
function messageText(args: readonly RemoteObject[]): string {
  const [first, ...rest] = args
  if (first?.type !== 'string') return args.map(textOf).join(' ')
  const text = String(first.value).replace(/%([sdifoOc%])/g, (mark, kind: string) => {
    if (kind === '%') return '%'
    const next = rest.shift()
    if (next === undefined) return mark
    // A style has nothing to say.
    return kind === 'c' ? '' : textOf(next)
  })
  return [text, ...rest.map(textOf)].join(' ')
}

/** Of these, their properties say less than Chromium's few words. */
const inWords = ['error', 'date', 'regexp', 'node', 'map', 'set', 'weakmap', 'weakset', 'proxy', 'promise']

function textOf(object: RemoteObject): string {
  if (object.type === 'string') return String(object.value)
  if (object.unserializableValue !== undefined) return object.unserializableValue
  if (object.preview?.properties !== undefined && !inWords.includes(object.subtype ?? '')) {
    const inside = object.preview.properties.map((property) =>
      object.subtype === 'array'
        ? (property.value ?? property.type)
        : `${property.name}: ${property.value ?? property.type}`,
    )
    if (object.preview.overflow) inside.push('…')
    return object.subtype === 'array' ? `[${inside.join(', ')}]` : `{${inside.join(', ')}}`
  }
  return object.description ?? String(object.value)
}
