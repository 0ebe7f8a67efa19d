import dgram from 'node:dgram'
import type { ProviderConfig } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'
import type { Provider, ProviderSurroundings } from './provider.ts'

type Config = Extract<ProviderConfig, { kind: 'macos' }>

/** The port that wake-up packets are sent to by custom; cards look at the payload, not at the port. */
const wakePort = 9
/** Sent more than once: nothing acknowledges a packet that a sleeping card has to notice. */
const repeats = 3

/** A Mac: always on, or woken over the network. Its agent switches it off. */
export function macos(config: Config, { agent }: ProviderSurroundings): Provider {
  const { mac } = config
  const base: Provider = {
    kind: 'macos',
    name: 'this Mac',
    actions: mac === undefined ? ['stop'] : ['start', 'stop'],
    stop: async () => {
      await agent().call('machine.shutdown', {}, { timeoutMs: 15_000 })
    },
  }
  if (mac === undefined) return base
  return { ...base, start: () => wake(mac, config.broadcast ?? '255.255.255.255') }
}

/** Six bytes of ones, then the address sixteen times. */
export function magicPacket(mac: string): Buffer {
  const address = Buffer.from(mac.replace(/[:-]/g, ''), 'hex')
  if (address.length !== 6) throw new Problem('invalid-params', `"${mac}" is not a hardware address.`)
  return Buffer.concat([Buffer.alloc(6, 0xff), ...Array.from({ length: 16 }, () => address)])
}

/** Sends from a socket that is bound to a passing port and closed at once: nothing of the console listens. */
export async function wake(mac: string, broadcast: string, port: number = wakePort): Promise<void> {
  const packet = magicPacket(mac)
  const socket = dgram.createSocket('udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(0, () => {
        socket.setBroadcast(true)
        resolve()
      })
    })
    for (let sent = 0; sent < repeats; sent++) {
      await new Promise<void>((resolve, reject) => {
        socket.send(packet, port, broadcast, (error) => (error === null ? resolve() : reject(error)))
      })
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new Problem(
      'unreachable',
      `The wake-up packet could not be sent to ${broadcast} (${detail}). Set the broadcast address of the Mac's network.`,
      {},
      { cause: error },
    )
  } finally {
    socket.close()
  }
}
