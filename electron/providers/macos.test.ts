import dgram from 'node:dgram'
import { expect, test } from 'vitest'
import { magicPacket, wake } from './macos.ts'

test('a magic packet is six bytes of ones and sixteen times the address', () => {
  const packet = magicPacket('a4:83:e7:00:11:22')
  expect(packet).toHaveLength(102)
  expect(packet.subarray(0, 6).toString('hex')).toBe('ffffffffffff')
  for (let at = 6; at < 102; at += 6) expect(packet.subarray(at, at + 6).toString('hex')).toBe('a483e7001122')
  expect(() => magicPacket('a4:83')).toThrow(/hardware address/)
})

test('it is really sent', async () => {
  const receiver = dgram.createSocket('udp4')
  await new Promise<void>((resolve) => receiver.bind(0, '127.0.0.1', resolve))
  const got = new Promise<Buffer>((resolve) => receiver.once('message', resolve))
  await wake('A4-83-E7-00-11-22', '127.0.0.1', receiver.address().port)
  expect((await got).equals(magicPacket('a4:83:e7:00:11:22'))).toBe(true)
  receiver.close()
})
