import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A socket that strangers could send something to. */
export interface ListeningSocket {
  pid: number
  kind: 'tcp' | 'udp' | 'unix'
  /** `127.0.0.1:8000`, a path, or `@name` for an abstract Unix socket. */
  address: string
}

/**
 * Everything these processes listen on. Sockets that are only clients (of the X server, of D-Bus, of an agent) do
 * not listen and are not in it; neither is a UDP socket connected to one peer.
 */
export function listeningSockets(pids: readonly number[]): ListeningSocket[] {
  return pids.flatMap((pid) => {
    const held = heldInodes(pid)
    if (held.size === 0) return []
    return tables(pid)
      .filter(({ inode }) => held.has(inode))
      .map(({ kind, address }) => ({ pid, kind, address }))
  })
}

interface Row {
  inode: string
  kind: ListeningSocket['kind']
  address: string
}

/** The process's own view: a sandboxed one may be in another network namespace. */
function tables(pid: number): Row[] {
  const at = (name: string) => lines(`/proc/${pid}/net/${name}`)
  return [
    ...['tcp', 'tcp6'].flatMap((name) => at(name).flatMap((line) => inetRow('tcp', line, '0A'))),
    // 07 is what the kernel calls a UDP socket that takes datagrams from anyone.
    ...['udp', 'udp6'].flatMap((name) => at(name).flatMap((line) => inetRow('udp', line, '07'))),
    ...at('unix').flatMap(unixRow),
  ]
}

function inetRow(kind: 'tcp' | 'udp', line: string, listeningState: string): Row[] {
  const fields = line.trim().split(/\s+/)
  const [, local = '', , state, , , , , , inode = ''] = fields
  // A UDP socket without a port is not bound to anything yet.
  if (state !== listeningState || local.endsWith(':0000')) return []
  return [{ inode, kind, address: readableAddress(local) }]
}

function unixRow(line: string): Row[] {
  const [, , , flags = '', type, , inode = '', ...rest] = line.trim().split(/\s+/)
  const address = rest.join(' ')
  const accepts = (Number.parseInt(flags, 16) & 0x10000) !== 0
  const namedDatagram = type === '0002' && address !== ''
  return accepts || namedDatagram ? [{ inode, kind: 'unix', address }] : []
}

/** `0100007F:1F90` is 127.0.0.1:8000: words of four bytes, each in the machine's own order. */
function readableAddress(hex: string): string {
  const [host = '', port = ''] = hex.split(':')
  const bytes = (host.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse())
  const groups = Array.from({ length: bytes.length / 2 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  )
  const name = bytes.length === 4 ? bytes.join('.') : `[${groups.join(':')}]`
  return `${name}:${Number.parseInt(port, 16)}`
}

function heldInodes(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`
  const held = new Set<string>()
  try {
    for (const name of readdirSync(folder)) {
      try {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1]
        if (inode !== undefined) held.add(inode)
      } catch {
        // Closed while we looked.
      }
    }
  } catch (error) {
    // Ended while we looked; but a process that may not be looked at must not pass for one that listens on nothing.
    if ((error as NodeJS.ErrnoException).code === 'EACCES' && !hasEnded(pid)) throw error
  }
  return held
}

/** One that waits to be reaped holds nothing, and may be looked at by root alone. */
function hasEnded(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return true
  }
}

function lines(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').trimEnd().split('\n').slice(1)
  } catch {
    return []
  }
}
