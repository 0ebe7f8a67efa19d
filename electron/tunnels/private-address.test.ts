import { expect, test } from 'vitest'
import { isPrivateAddress, privateAddressOf } from './private-address.ts'

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '::1',
  'fd7a:115c:a1e0::1',
  'fe80::1%eth0',
  '::ffff:10.0.0.1',
])('%s may be reached directly', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each([
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '0.0.0.0',
  '169.254.169.254',
  '::',
  '2001:4860:4860::8888',
  '::ffff:8.8.8.8',
  '::ffff:169.254.169.254',
  'fd00:ec2::254',
  'not-an-address',
  '',
])('%s may not', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

test('a name counts by what it points to, and a public one is refused with a way on', async () => {
  expect(await privateAddressOf('box', async () => ['8.8.8.8', '10.0.0.7'])).toBe('10.0.0.7')
  await expect(privateAddressOf('example.org', async () => ['93.184.216.34'])).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('SSH'),
  })
  await expect(privateAddressOf('[2001:db8::1]')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await privateAddressOf('[::1]')).toBe('::1')
})
