import net from 'node:net'
import { type BusMessage, BusReader, BusWriter, decodeMessage, encodeMessage, messageTypes } from './dbus-wire.ts'
import { until } from './until.ts'

/** What a program asked the desktop to show. */
export interface Shown {
  id: number
  program: string
  title: string
  body: string
}

export interface NotificationServer {
  shown: Shown[]
  /** As a person does who clicks on it. */
  press(notification: Shown): void
  stop(): void
}

const name = 'org.freedesktop.Notifications'
const path = '/org/freedesktop/Notifications'
const bus = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' }

/** The part of a desktop that shows notifications, on a session bus of its own: it keeps what it is told to show. */
export async function serveNotifications(busAddress: string): Promise<NotificationServer> {
  const file = /^unix:path=([^,;]+)/.exec(busAddress)?.[1]
  if (file === undefined) throw new Error(`${busAddress} is not a bus with a path.`)
  const shown: Shown[] = []
  const socket = net.connect(file)
  let serial = 0
  const send = (message: Omit<BusMessage, 'serial' | 'body'> & { body?: Buffer }) =>
    socket.write(encodeMessage({ body: Buffer.alloc(0), ...message, serial: ++serial }))
  let owns = false
  const take = (message: BusMessage) => {
    // Asked for second, after Hello: 1 says that the name is ours.
    if (message.type === messageTypes.reply && message.replySerial === 2) owns = message.body.readUInt32LE(0) === 1
    if (message.type !== messageTypes.call) return
    const to = { destination: message.sender ?? '', replySerial: message.serial }
    const answer = (signature: string, body: Buffer) => send({ type: messageTypes.reply, ...to, signature, body })
    switch (message.member) {
      case 'GetCapabilities':
        return answer('as', new BusWriter().strings(['body', 'actions']).done())
      case 'GetServerInformation':
        return answer('ssss', new BusWriter().string('Tests').string('Pilothouse').string('1').string('1.2').done())
      case 'Notify': {
        const reader = new BusReader(message.body)
        const [program, , , title, body] = [
          reader.string(),
          reader.uint32(),
          reader.string(),
          reader.string(),
          reader.string(),
        ]
        const id = shown.length + 1
        shown.push({ id, program, title, body })
        return answer('u', new BusWriter().uint32(id).done())
      }
      case 'CloseNotification':
        return send({ type: messageTypes.reply, ...to })
      default:
        return send({ type: messageTypes.error, ...to, errorName: 'org.freedesktop.DBus.Error.UnknownMethod' })
    }
  }
  let waiting = Buffer.alloc(0)
  let greeted = false
  socket.on('data', (chunk) => {
    waiting = Buffer.concat([waiting, chunk])
    if (!greeted) {
      const end = waiting.indexOf('\r\n')
      if (end < 0) return
      if (!waiting.toString('utf8', 0, end).startsWith('OK')) return void socket.destroy()
      waiting = waiting.subarray(end + 2)
      greeted = true
      socket.write('BEGIN\r\n')
      send({ type: messageTypes.call, ...bus, member: 'Hello' })
      // 4: rather none than to wait in line.
      const body = new BusWriter().string(name).uint32(4).done()
      send({ type: messageTypes.call, ...bus, member: 'RequestName', signature: 'su', body })
    }
    for (let next = decodeMessage(waiting); next !== undefined; next = decodeMessage(waiting)) {
      waiting = waiting.subarray(next.length)
      take(next.message)
    }
  })
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')}\r\n`)
  await until('the bus to give the name', () => owns)
  const signal = (member: string, signature: string, body: Buffer) =>
    send({ type: messageTypes.signal, path, interface: name, member, signature, body })
  return {
    shown,
    press({ id }) {
      signal('ActionInvoked', 'us', new BusWriter().uint32(id).string('default').done())
      // 2: dismissed by a person.
      signal('NotificationClosed', 'uu', new BusWriter().uint32(id).uint32(2).done())
    },
    stop: () => void socket.destroy(),
  }
}
