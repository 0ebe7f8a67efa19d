import { expect, test } from 'vitest'
import { forwardCommand, sshCommand } from './sshCommand.ts'

const none = { publicIp: null, privateIp: null }
const remote = { socketPath: '/run/pilothouse/agent.sock' }

test('the command says what the tunnel is set to, and nothing where there is no SSH to speak of', () => {
  expect(sshCommand({ kind: 'ssh', host: 'box', remote }, none)).toBe('ssh box')
  expect(sshCommand({ kind: 'ssh', host: '[fd00::1]', port: 2222, user: 'ops', remote }, none)).toBe(
    'ssh -p 2222 ops@fd00::1',
  )
  expect(sshCommand({ kind: 'direct', host: '127.0.0.1', port: 8000 }, none)).toBeNull()
  expect(sshCommand({ kind: 'direct', host: '10.0.0.5', port: 8000 }, none)).toBe('ssh 10.0.0.5')
  expect(sshCommand({ kind: 'tailscale', peer: 'mac-1', port: 8000 }, none)).toBe('ssh mac-1')
  expect(sshCommand({ kind: 'local' }, none)).toBeNull()
})

test('a forward leads to where the agent listens', () => {
  expect(forwardCommand({ kind: 'ssh', host: 'box', user: 'ops', remote })).toBe(
    'ssh -N -L 127.0.0.1:8000:/run/pilothouse/agent.sock ops@box',
  )
  expect(forwardCommand({ kind: 'ssh', host: 'box', remote: { port: 8000 } }, 9000)).toBe(
    'ssh -N -L 127.0.0.1:9000:127.0.0.1:8000 box',
  )
  expect(forwardCommand({ kind: 'direct', host: '10.0.0.5', port: 8000 })).toBeNull()
})
