import { once } from 'node:events'
import net from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { Egress } from './egress.ts'
import { KnownNames } from './known-names.ts'
import { LookUps } from './look-ups.ts'

const greeting = Buffer.from([5, 1, 0])
const greeted = '0500'
const [connected, unreachable] = ['05000001000000000000', '05040001000000000000']
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function request(host: string, port: number, command = 1): Buffer {
  const name = Buffer.from(host, 'latin1')
  return Buffer.from([5, command, 0, 3, name.length, ...name, port >> 8, port & 255])
}

async function startEgress(addresses: (name: string) => string[]): Promise<Egress> {
  const egress = await Egress.start(async (name) => addresses(name))
  ends.push(() => egress.close())
  return egress
}

/** A server that tells what it hears and when its client has ended. */
async function startEcho(): Promise<number> {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return (server.address() as net.AddressInfo).port
}

async function connectTo(
  egress: Egress,
): Promise<{ client: net.Socket; heard: () => string; closed: Promise<unknown> }> {
  const client = net.connect({ port: egress.ports[0] ?? 0, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  client.on('error', () => {})
  await once(client, 'connect')
  const parts: Buffer[] = []
  client.on('data', (part) => parts.push(part))
  ends.push(() => client.destroy())
  return {
    client,
    heard: () => Buffer.concat(parts).toString('hex'),
    closed: Promise.race([once(client, 'close'), once(client, 'end')]),
  }
}

describe('the way out', () => {
  test('connects, passes on both ways, also what comes with the handshake in single bytes, and ends each side apart', async () => {
    const port = await startEcho()
    const egress = await startEgress(() => ['127.0.0.1'])
    const { client, heard } = await connectTo(egress)
    for (const byte of Buffer.concat([greeting, request('Intranet.', port), Buffer.from('early')]))
      client.write(Buffer.from([byte]))
    await expect.poll(heard).toBe(greeted + connected + Buffer.from('early').toString('hex'))
    client.end('late')
    await once(client, 'end')
    expect(heard().endsWith(Buffer.from('earlylate').toString('hex'))).toBe(true)
  })

  test.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['an older SOCKS', Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0])],
    ['no way to prove oneself', Buffer.from([5, 0])],
    ['another request behind the greeting', Buffer.concat([greeting, Buffer.from('GET /')])],
  ])('%s gets no answer of use', async (_what, bytes) => {
    const egress = await startEgress(() => ['127.0.0.1'])
    const { client, heard, closed } = await connectTo(egress)
    client.write(bytes)
    await closed
    expect(['', greeted]).toContain(heard())
  })

  test.each([
    ['a password', Buffer.from([5, 1, 2]), '05ff'],
    ['BIND', Buffer.concat([greeting, request('a', 80, 2)]), `${greeted}05070001000000000000`],
    ['UDP', Buffer.concat([greeting, request('a', 80, 3)]), `${greeted}05070001000000000000`],
    ['a name that is none', Buffer.concat([greeting, request('a b', 80)]), `${greeted}05080001000000000000`],
    ['no port', Buffer.concat([greeting, request('a', 0)]), `${greeted}05080001000000000000`],
  ])('%s is refused', async (_what, bytes, answer) => {
    const egress = await startEgress(() => ['127.0.0.1'])
    const { client, heard } = await connectTo(egress)
    client.write(bytes)
    await once(client, 'end')
    expect(heard()).toBe(answer)
  })

  test('goes nowhere where no page may go, and says why a page could not be had', async () => {
    const port = await startEcho()
    const egress = await startEgress((name) => {
      if (name === 'cloud') return ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254']
      if (name === 'here') return ['127.0.0.1']
      throw Object.assign(new Error('nobody'), { code: 'ENOTFOUND' })
    })
    const cases = [
      ['cloud', port, 'net::ERR_NETWORK_ACCESS_DENIED'],
      ['169.254.169.254', port, 'net::ERR_NETWORK_ACCESS_DENIED'],
      ['nobody', port, 'net::ERR_NAME_NOT_RESOLVED'],
      ['here', 1, 'net::ERR_CONNECTION_REFUSED'],
    ] as const
    for (const [host, to, reason] of cases) {
      const { client, heard } = await connectTo(egress)
      client.write(Buffer.concat([greeting, request(host, to)]))
      await once(client, 'end')
      expect(heard()).toBe(greeted + unreachable)
      expect(egress.explain(`http://${host}:${to}/`, 'net::ERR_SOCKS_CONNECTION_HOST_UNREACHABLE')).toBe(reason)
    }
    expect(egress.explain('http://here:1/', 'net::ERR_ABORTED')).toBe('net::ERR_ABORTED')
  })

  test('who does not read makes nobody keep what is sent to him', async () => {
    let sent = 0
    const server = net.createServer((socket) => {
      socket.on('error', () => {})
      const more = () => {
        while (sent < 400_000_000 && socket.write(Buffer.alloc(65_536))) sent += 65_536
      }
      socket.on('drain', more)
      more()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(() => server.close())
    const egress = await startEgress(() => ['127.0.0.1'])
    const client = net.connect({ port: egress.ports[0] ?? 0, host: '127.0.0.1' }).on('error', () => {})
    ends.push(() => client.destroy())
    client.write(Buffer.concat([greeting, request('flood', (server.address() as net.AddressInfo).port)]))
    let before = -1
    await expect
      .poll(
        () => {
          const still = sent > 0 && sent === before
          before = sent
          return still
        },
        { interval: 300, timeout: 10_000 },
      )
      .toBe(true)
    expect(sent).toBeLessThan(100_000_000)
  })

  test('closes with all that is open, and its ports are free', async () => {
    const port = await startEcho()
    const egress = await Egress.start(async () => ['127.0.0.1'])
    const { client, heard, closed } = await connectTo(egress)
    client.write(Buffer.concat([greeting, request('here', port)]))
    await expect.poll(heard).toBe(greeted + connected)
    await egress.close()
    await closed
    for (const one of egress.ports) {
      const again = net.createServer().listen(one, '127.0.0.1')
      await once(again, 'listening')
      again.close()
    }
  })
})

describe('what a name may lead to', () => {
  test('never inside, once it was outside', () => {
    const known = new KnownNames()
    expect(known.usable('evil.net', ['10.0.0.1', '8.8.8.8', '169.254.169.254'])).toEqual(['8.8.8.8'])
    for (const inside of ['10.0.0.1', '127.0.0.1', '::1', '169.254.169.254', 'fd12::1'])
      expect(known.usable('evil.net', [inside]), inside).toEqual([])
    expect(known.usable('evil.net', ['9.9.9.9'])).toEqual(['9.9.9.9'])
    expect(known.usable('intranet', ['10.0.0.1', '169.254.169.254'])).toEqual(['10.0.0.1'])
  })

  test('inside only while it can still be told from outside', () => {
    const known = new KnownNames(2)
    for (const name of ['a', 'b', 'c']) known.usable(name, ['8.8.8.8'])
    expect(known.usable('c', ['10.0.0.1'])).toEqual([])
    expect(known.usable('c', ['8.8.8.8'])).toEqual(['8.8.8.8'])
    expect(known.usable('10.0.0.1', ['10.0.0.1'])).toEqual(['10.0.0.1'])
  })
})

describe('looking names up', () => {
  test('two at a time, one for each site, and each name once', async () => {
    const running: string[] = []
    let most = 0
    const answers = new Map<string, PromiseWithResolvers<string[]>>()
    const lookUps = new LookUps((name) => {
      running.push(name)
      most = Math.max(most, running.length)
      const answer = Promise.withResolvers<string[]>()
      answers.set(name, answer)
      return answer.promise.finally(() => running.splice(running.indexOf(name), 1))
    })
    const { signal } = new AbortController()
    const found = ['a.slow.net', 'b.slow.net', 'c.slow.net', 'quick.net', 'quick.net'].map((name) =>
      lookUps.find(name, signal),
    )
    expect(running).toEqual(['a.slow.net', 'quick.net'])
    answers.get('quick.net')?.resolve(['8.8.8.8'])
    expect(await Promise.all(found.slice(3))).toEqual([['8.8.8.8'], ['8.8.8.8']])
    for (const name of ['a', 'b', 'c']) {
      await expect.poll(() => running).toEqual([`${name}.slow.net`])
      answers.get(`${name}.slow.net`)?.resolve([name])
    }
    expect(await Promise.all(found.slice(0, 3))).toEqual([['a'], ['b'], ['c']])
    expect(most).toBe(2)
    expect(await lookUps.find('quick.net', signal)).toEqual(['8.8.8.8'])
    expect(running).toEqual([])
  })

  test('whoever gives up is let go, and so are all at the end', async () => {
    const lookUps = new LookUps(() => new Promise(() => {}))
    const gaveUp = new AbortController()
    const one = lookUps.find('a.net', gaveUp.signal)
    gaveUp.abort(new Error('given up'))
    await expect(one).rejects.toThrow('given up')
    const { signal } = new AbortController()
    void lookUps.find('b.net', signal).catch(() => {})
    const waiting = lookUps.find('c.net', signal)
    lookUps.close()
    await expect(waiting).rejects.toThrow('ended')
  })
})
