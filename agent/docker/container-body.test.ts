import { expect, test } from 'vitest'
import { type ContainerSpec, containerBody } from './container-body.ts'

const spec: ContainerSpec = {
  name: 'ghosthands-worker',
  image: 'sha256:1',
  command: ['node', 'worker.js'],
  env: new Map([['A', 'b=c\n"d"']]),
  labels: { 'gh.managed': 'true' },
  network: 'bridge',
  ports: [{ container: 3101, host: 3102, address: '127.0.0.1', protocol: 'tcp' }],
  stopLimitMs: 1500,
  shmMb: 64,
  memoryMb: undefined,
}

test('says of a container what the specification says', () => {
  expect(containerBody(spec)).toEqual({
    name: 'ghosthands-worker',
    Image: 'sha256:1',
    Cmd: ['node', 'worker.js'],
    Env: ['A=b=c\n"d"'],
    Labels: { 'gh.managed': 'true' },
    ExposedPorts: { '3101/tcp': {} },
    StopTimeout: 2,
    HostConfig: {
      NetworkMode: 'bridge',
      PortBindings: { '3101/tcp': [{ HostIp: '127.0.0.1', HostPort: '3102' }] },
      RestartPolicy: { Name: 'unless-stopped' },
      Privileged: false,
      ShmSize: 64 * 1024 * 1024,
    },
  })
})

test('lets nothing else through, whatever it is given', () => {
  const smuggled = { ...spec, Privileged: true, privileged: true, Binds: ['/:/host'], HostConfig: { PidMode: 'host' } }
  expect(containerBody(smuggled)).toEqual(containerBody(spec))
})

test("on the host's network nothing is published", () => {
  const body = containerBody({ ...spec, network: 'host' })
  expect([body.ExposedPorts, body.HostConfig?.PortBindings]).toEqual([{}, {}])
})
