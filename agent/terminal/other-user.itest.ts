import { describe, expect, test } from 'vitest'
import { startTestAgent } from '../../e2e/rigs/agent.ts'
import { startAgentProcess } from '../../e2e/rigs/agent-process.ts'
import { isRunning } from '../../e2e/rigs/processes.ts'
import { until } from '../../e2e/rigs/until.ts'
import type { AgentClient } from '../../shared/client/client.ts'
import { readConfig } from '../config.ts'
import { asUser, terminalAccount } from './other-user.ts'

const isRoot = process.getuid?.() === 0

async function open(client: AgentClient) {
  const socket = await client.open('terminal')
  let text = ''
  socket.onBytes = (bytes) => {
    text += Buffer.from(bytes).toString('utf8')
    socket.send({ type: 'ack', bytes: bytes.length })
  }
  return {
    type: (line: string) => socket.sendBytes(Buffer.from(`${line}\r`)),
    shows: (pattern: RegExp) =>
      until(`${pattern}`, () => {
        const found = pattern.exec(text)
        if (found === null) throw new Error(`it shows ${JSON.stringify(text)}`)
        return found
      }),
  }
}

describe.skipIf(!isRoot)('as the user that is configured (needs root to become one)', () => {
  test('a terminal is that user’s altogether, and ends with the agent all the same', async () => {
    const agent = await startAgentProcess({ PILOTHOUSE_TERMINAL_USER: 'nobody', PILOTHOUSE_SHELL: '/bin/sh' })
    try {
      const screen = await open(agent.client)
      const account = await terminalAccount('nobody')
      screen.type('echo "who"="$(id -un) $(id -ru) $(id -rg) $USER $LOGNAME $HOME"; echo "groups"=" $(id -G) ."')
      const [, who] = await screen.shows(/who=([^\r]*)\r/)
      const { uid, gid, home } = account
      expect(who).toBe(`nobody ${uid} ${gid} nobody nobody ${home}`)
      expect((await screen.shows(/groups=([^\r]*)\./))[1]).not.toContain(' 0 ')
      // The device is theirs too: programs open it by its name.
      screen.type('echo "to the device" > $(tty) && echo "device"=ok; echo "pid"=$$')
      await screen.shows(/device=ok/)
      const pid = Number((await screen.shows(/pid=(\d+)/))[1])
      process.kill(agent.pid, 'SIGKILL')
      await until('the end of the shell', () => !isRunning(pid))
    } finally {
      await agent.stop()
    }
  })
})

test.runIf(process.platform === 'linux')('another user gets their own groups, and nothing of the agent’s', () => {
  const other = { name: 'someone', uid: (process.getuid?.() ?? 0) + 1, gid: 1234, home: '/', shell: '/bin/sh' }
  expect(asUser(other).slice(1)).toEqual([
    ...[`--reuid=${other.uid}`, '--regid=1234', '--init-groups', '--pdeathsig', 'KILL', '--'],
  ])
})

test('a user that does not exist is a problem with the next step, and the agent goes on', async () => {
  const rig = await startTestAgent({ PILOTHOUSE_TERMINAL_USER: 'no-such-person' })
  try {
    await expect(rig.client.open('terminal')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('PILOTHOUSE_TERMINAL_USER'),
    })
    const { entries } = await rig.client.call('audit.list', { action: 'terminal_open' })
    expect(entries[0]).toMatchObject({ result: 'failure' })
    expect((await rig.client.call('machine.health')).openTerminals).toBe(0)
  } finally {
    await rig.stop()
  }
})

test.each(['-x', 'a b', '../root', 'a:b', '0'])('%j is no name of a user', (name) => {
  expect(() => readConfig({ PILOTHOUSE_TERMINAL_USER: name })).toThrow(/PILOTHOUSE_TERMINAL_USER/)
})

test('without one it is the user of the agent', async () => {
  expect((await terminalAccount(undefined)).uid).toBe(process.getuid?.())
})
