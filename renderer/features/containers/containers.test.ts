import { expect, test } from 'vitest'
import { containerLook, portsText, serviceOf } from './containers.ts'

test('ports are said once, and an address only where it is not every address', () => {
  const port = { privatePort: 80, type: 'tcp' }
  expect(
    portsText([
      { ...port, publicPort: 8080, ip: '0.0.0.0' },
      { ...port, publicPort: 8080, ip: '::' },
      { ...port, publicPort: 9090, ip: '127.0.0.1' },
      { privatePort: 53, publicPort: null, type: 'udp', ip: null },
    ]),
  ).toBe('8080 → 80, 127.0.0.1:9090 → 80, 53/udp')
})

test('a state that this console does not know is shown as it is', () => {
  expect(containerLook('removing')).toMatchObject({ tone: 'unknown', word: 'removing' })
})

test('only managed containers are services', () => {
  expect(serviceOf({ labels: { 'gh.managed': 'true', 'gh.service': 'api' } })).toBe('api')
  expect(serviceOf({ labels: { 'gh.service': 'api' } })).toBeNull()
})
