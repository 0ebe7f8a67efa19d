import { expect, test } from 'vitest'
import { hasDisplay, vncPasswordFile, xauthority } from './display.mjs'

test('writes the password in the form VNC servers read', () => {
  // The well-known form of this very password.
  expect(vncPasswordFile('password').toString('hex')).toBe('dbd83cfd727a1458')
  expect(vncPasswordFile('password and more')).toEqual(vncPasswordFile('password'))
})

test('writes one cookie for any host and display', () => {
  const cookie = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
  const name = Buffer.from('MIT-MAGIC-COOKIE-1').toString('hex')
  expect(xauthority(cookie).toString('hex')).toBe(`ffff000000000012${name}0010${cookie.toString('hex')}`)
})

test.runIf(process.platform === 'linux')('needs one of the two variables on Linux', () => {
  expect(hasDisplay({})).toBe(false)
  expect(hasDisplay({ DISPLAY: '' })).toBe(false)
  expect(hasDisplay({ DISPLAY: ':0' })).toBe(true)
  expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' })).toBe(true)
})
