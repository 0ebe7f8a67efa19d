import net from 'node:net'

/**
 * `never`: where clouds hand out credentials, and the link they do it on. `own`: this machine itself. `private`: what
 * only those nearby can reach.
 */
export type AddressClass = 'never' | 'own' | 'private' | 'public'

type Subnet = readonly [address: string, prefix: number]

const never4: Subnet[] = [
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
]
const never6: Subnet[] = [
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['fd00:c1::', 32],
  ['fd20:ce::', 32],
]
const own4: Subnet[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
]
const own6: Subnet[] = [
  ['::', 128],
  ['::1', 128],
]
const private4: Subnet[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
]
const private6: Subnet[] = [
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fec0::', 10],
  ['ff00::', 8],
]

const classes = [
  ['never', blockList(never4, never6)],
  ['own', blockList(own4, own6)],
  ['private', blockList(private4, private6)],
] as const

/** What an address leads to; one that cannot be read leads nowhere. */
export function classOf(address: string): AddressClass {
  const [bare = ''] = address.split('%')
  const version = net.isIP(bare)
  if (version === 0) return 'never'
  return classes.find(([, list]) => list.check(bare, version === 6 ? 'ipv6' : 'ipv4'))?.[0] ?? 'public'
}

/** Node finds a `::ffff:` address among those of version 4 by itself; the other ways to write one into the other are ours. */
function blockList(of4: readonly Subnet[], of6: readonly Subnet[]): net.BlockList {
  const list = new net.BlockList()
  for (const [address, prefix] of of6) list.addSubnet(address, prefix, 'ipv6')
  for (const [address, prefix] of of4) {
    list.addSubnet(address, prefix, 'ipv4')
    list.addSubnet(`::${address}`, 96 + prefix, 'ipv6')
    list.addSubnet(`64:ff9b::${address}`, 96 + prefix, 'ipv6')
    list.addSubnet(`2002:${inHex(address)}::`, 16 + prefix, 'ipv6')
  }
  return list
}

function inHex(address: string): string {
  const hex = Buffer.from(address.split('.').map(Number)).toString('hex')
  return `${hex.slice(0, 4)}:${hex.slice(4)}`
}
