import dns from 'node:dns/promises'
import net from 'node:net'
import { Problem } from '../../shared/errors.ts'

/** Loopback, private, shared (tailnets) and link-local ranges: the ones that plain HTTP may cross. */
const allowed = new net.BlockList()
allowed.addSubnet('127.0.0.0', 8)
allowed.addSubnet('10.0.0.0', 8)
allowed.addSubnet('172.16.0.0', 12)
allowed.addSubnet('192.168.0.0', 16)
allowed.addSubnet('169.254.0.0', 16)
allowed.addSubnet('100.64.0.0', 10)
allowed.addAddress('::1', 'ipv6')
allowed.addSubnet('fc00::', 7, 'ipv6')
allowed.addSubnet('fe80::', 10, 'ipv6')

/** The metadata service of clouds stands in a link-local range and is never an agent. */
const refused = new net.BlockList()
refused.addAddress('169.254.169.254')
refused.addAddress('fd00:ec2::254', 'ipv6')

/** Whether an address may be spoken to without encryption of its own. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  const family = net.isIP(bare)
  if (family === 0) return false
  const kind = family === 6 ? 'ipv6' : 'ipv4'
  return allowed.check(bare, kind) && !refused.check(bare, kind)
}

/**
 * The address to connect to. A name is resolved here and its address used, so that a name which later
 * points elsewhere cannot lead out of the private network.
 */
export async function privateAddressOf(host: string, lookup: Lookup = systemLookup): Promise<string> {
  const bare = host.replace(/^\[|\]$/g, '')
  const addresses = net.isIP(bare.replace(/%.*$/, '')) === 0 ? await lookup(bare) : [bare]
  const chosen = addresses.find(isPrivateAddress)
  if (chosen !== undefined) return chosen
  throw new Problem(
    'forbidden',
    `${host} is a public address, and a direct connection is not encrypted. Use an address of a private network or a tailnet, or reach the machine through SSH.`,
  )
}

type Lookup = (name: string) => Promise<string[]>
const systemLookup: Lookup = async (name) => (await dns.lookup(name, { all: true })).map((entry) => entry.address)
