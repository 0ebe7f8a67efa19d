import net from 'node:net'

/** Where a client wants to be connected to. */
export interface Destination {
  host: string
  port: number
}

/** What is said to a client, as RFC 1928 numbers it. */
export const replies = {
  connected: 0,
  failed: 1,
  refusedByRule: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  timedOut: 6,
  unknownCommand: 7,
  unknownAddress: 8,
} as const
export type Reply = (typeof replies)[keyof typeof replies]

const [version, noAuthentication, noMethod, connect] = [5, 0, 0xff, 1]
const kinds = { ipv4: 1, name: 3, ipv6: 4 }
/** Greeting and request at their longest: more is no handshake. */
export const longestHandshake = 2 + 255 + 4 + 1 + 255 + 2

type Step<Result> =
  | { is: 'incomplete' }
  | { is: 'foreign' }
  | { is: 'refused'; answer: Buffer }
  | ({ is: 'read'; bytes: number } & Result)

const incomplete = { is: 'incomplete' } as const
/** Somebody who speaks something else, such as a page that sends HTTP, is told nothing. */
const foreign = { is: 'foreign' } as const

/** The first thing that a client says: which ways to prove itself it knows. */
export function readGreeting(bytes: Buffer): Step<{ answer: Buffer }> {
  const [said, count] = bytes
  if (said !== undefined && said !== version) return foreign
  if (count === 0) return foreign
  if (count === undefined || bytes.length < 2 + count) return incomplete
  if (!bytes.subarray(2, 2 + count).includes(noAuthentication))
    return { is: 'refused', answer: Buffer.from([version, noMethod]) }
  return { is: 'read', bytes: 2 + count, answer: Buffer.from([version, noAuthentication]) }
}

/** The second thing: what it wants. */
export function readRequest(bytes: Buffer): Step<{ destination: Destination }> {
  const [said, command, , kind, first] = bytes
  if (said !== undefined && said !== version) return foreign
  if (command === undefined || kind === undefined || first === undefined) return incomplete
  if (command !== connect) return { is: 'refused', answer: answerTo(replies.unknownCommand) }
  const start = kind === kinds.name ? 5 : 4
  const length = kind === kinds.name ? first : kind === kinds.ipv4 ? 4 : kind === kinds.ipv6 ? 16 : 0
  if (length === 0) return { is: 'refused', answer: answerTo(replies.unknownAddress) }
  const end = start + length
  if (bytes.length < end + 2) return incomplete
  const host = hostIn(kind, bytes.subarray(start, end))
  const port = bytes.readUInt16BE(end)
  if (host === undefined || port === 0) return { is: 'refused', answer: answerTo(replies.unknownAddress) }
  return { is: 'read', bytes: end + 2, destination: { host, port } }
}

/** The answer to a request. The address in it is for other commands than the one that is known here. */
export function answerTo(reply: Reply): Buffer {
  return Buffer.from([version, reply, 0, kinds.ipv4, 0, 0, 0, 0, 0, 0])
}

function hostIn(kind: number, bytes: Buffer): string | undefined {
  if (kind === kinds.ipv4) return bytes.join('.')
  if (kind === kinds.ipv6) return bytes.toString('hex').replace(/.{4}(?!$)/g, '$&:')
  const name = bytes.toString('latin1').toLowerCase().replace(/\.$/, '')
  return net.isIP(name) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) ? name : undefined
}
