import { expect, test } from 'vitest'
import { TestClock } from '../test-clock.ts'
import { newRollout } from './new-rollout.ts'
import { TellWindows } from './tell-windows.ts'

test('a burst is told at once, each with its newest state only', async () => {
  const clock = new TestClock()
  const sent: string[] = []
  const windows = new TellWindows(clock, ({ rollouts, progress }) => {
    sent.push(
      [...rollouts.map(({ id, status }) => `${id} ${status}`), ...progress.map((one) => one.message)].join(', '),
    )
  })
  const rollout = newRollout({
    ...{ tag: 'v2', machines: [], maxUnavailable: 1, onFailure: 'stop', force: false, operator: 'ada', at: '' },
  })
  for (let count = 0; count < 1000; count++) {
    windows.changed({ ...rollout, id: 1, status: count === 999 ? 'paused' : 'running' })
    windows.progress({ rolloutId: 1, machineId: 'm1', step: 'pull', message: `${count} %`, progress: null })
  }
  await clock.advance(1000)
  expect(sent).toEqual(['1 paused, 999 %'])
  windows.changed({ ...rollout, id: 2 })
  windows.stop()
  await clock.advance(1000)
  expect(sent).toHaveLength(1)
})
