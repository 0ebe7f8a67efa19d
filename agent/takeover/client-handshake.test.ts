import { describe, expect, test } from 'vitest'
import { ClientHandshake } from './client-handshake.ts'
import { RfbError } from './client-messages.ts'

function shake(bytes: Buffer, size: number): { sent: string; done: boolean; rest: string } {
  const sent: Buffer[] = []
  const rest: Buffer[] = []
  const handshake = new ClientHandshake((reply) => sent.push(reply))
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size)
    rest.push(handshake.done ? chunk : handshake.push(chunk))
  }
  return {
    sent: Buffer.concat(sent).toString('hex'),
    done: handshake.done,
    rest: Buffer.concat(rest).toString('latin1'),
  }
}

const greeting = Buffer.from('RFB 003.008\n').toString('hex')

describe.each([1, 5, 100])('the RFB opening, in pieces of %i bytes', (size) => {
  test('3.8: None offered, chosen and confirmed', () => {
    const answer = shake(Buffer.from('RFB 003.008\n\x01\x00after'), size)
    expect(answer).toEqual({ sent: `${greeting}010100000000`, done: true, rest: 'after' })
  })

  test('3.7: no confirmation', () => {
    expect(shake(Buffer.from('RFB 003.007\n\x01\x01'), size)).toEqual({ sent: `${greeting}0101`, done: true, rest: '' })
  })

  test('3.3: the server decides', () => {
    expect(shake(Buffer.from('RFB 003.003\n\x01x'), size)).toEqual({
      sent: `${greeting}00000001`,
      done: true,
      rest: 'x',
    })
  })

  test('anything else is refused', () => {
    expect(() => shake(Buffer.from('GET / HTTP/1.1\r\n'), size)).toThrow(RfbError)
    expect(() => shake(Buffer.from('RFB 003.008\n\x02'), size)).toThrow(RfbError)
  })
})
