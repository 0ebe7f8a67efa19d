import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import type { RunningEnrollment } from '../../shared/ipc-power.ts'
import { TestClock } from '../test-clock.ts'
import { Enrollments, type EnrollmentsDeps } from './enrollments.ts'
import type { SshSession } from './ssh-session.ts'

function stage() {
  const kept = new Map<string, unknown>()
  const told: RunningEnrollment[][] = []
  let connected: (session: SshSession) => void = () => {}
  const enrollments = new Enrollments({
    settings: { get: (key: string) => kept.get(key), set: (key: string, value: unknown) => kept.set(key, value) },
    connect: () => new Promise((resolve) => (connected = resolve)),
    ...{ clock: new TestClock(), ours: { platform: 'linux', arch: 'x64' }, onStep: () => {} },
    onRunning: (running: RunningEnrollment[]) => told.push(running),
  } as unknown as EnrollmentsDeps)
  const wish = (host = 'box') => ({
    ...{ enrollId: randomUUID(), name: host, environment: 'dev' as const, machineType: 'ssh_host' as const },
    ssh: { kind: 'ssh' as const, host, remote: { port: 8000 } },
  })
  const dead: SshSession = {
    exec: () => Promise.reject(new Problem('unreachable', 'The line is dead.')),
    writeFile: () => Promise.reject(new Problem('unreachable', 'The line is dead.')),
    close: () => {},
  }
  return { enrollments, wish, told, loseLine: () => connected(dead) }
}

test('one that is under way is found again with its steps, is told of as it goes, and is gone when it has ended', async () => {
  const { enrollments, wish, told, loseLine } = stage()
  const one = wish()
  const { enrollId } = one
  const ended = expect(enrollments.start(one)).rejects.toMatchObject({ code: 'cancelled' })
  const connecting = { enrollId, step: 'connect', state: 'running', detail: '' }
  expect(enrollments.running()).toEqual([{ enrollId, name: 'box', host: 'box', stopping: false, steps: [connecting] }])
  enrollments.cancel(enrollId)
  expect(enrollments.running()).toMatchObject([{ stopping: true }])
  loseLine()
  await ended
  expect(enrollments.running()).toEqual([])
  const steps = told.flatMap(([running]) => running?.steps.at(-1) ?? [])
  expect(steps.at(-1)).toMatchObject({ step: 'check', state: 'failed' })
  expect(told.at(-1)).toEqual([])
})

test('a second one on the same machine is refused while the first is under way', async () => {
  const { enrollments, wish } = stage()
  void enrollments.start(wish())
  void enrollments.start(wish('other'))
  expect(enrollments.running()).toHaveLength(2)
  await expect(enrollments.start(wish())).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('box is being installed on box just now'),
  })
  expect(enrollments.running()).toHaveLength(2)
})
