import { expect, test, vi } from 'vitest'
import { machine } from '../machine/machine.fixture.ts'
import { type Answer, blankAnswer, differing, runOn, withMessage } from './commands.ts'

const opened = vi.hoisted(() => [] as { resolve: (stream: unknown) => void; reject: (error: Error) => void }[])
vi.mock('../../app/streams.ts', () => ({
  openStream: () => new Promise((resolve, reject) => opened.push({ resolve, reject })),
}))

function stream() {
  const sent: string[] = []
  return {
    sent,
    sendText: (text: string) => sent.push(text),
    close: () => sent.push('closed'),
    onText: (_: string) => {},
  }
}

test.each(['opens', 'fails'])(
  'a command that is cancelled before its way %s is ended there, and stays cancelled',
  async (way) => {
    const told: Answer[] = []
    const { done, cancel } = runOn(machine({ id: 'm1' }), 'sleep 100', (answer) => told.push(answer))
    cancel()
    expect(told.at(-1)?.state).toBe('cancelled')
    const there = stream()
    if (way === 'opens') opened.shift()?.resolve(there)
    else opened.shift()?.reject(new Error('no way'))
    await done
    expect(there.sent).toEqual(way === 'opens' ? ['{"type":"cancel"}', 'closed'] : [])
    expect(told.at(-1)?.state).toBe('cancelled')
  },
)

test('one that runs is ended, and what it says afterwards changes nothing', async () => {
  const told: Answer[] = []
  const { done, cancel } = runOn(machine({ id: 'm1' }), 'sleep 100', (answer) => told.push(answer))
  const there = stream()
  opened.shift()?.resolve(there)
  await new Promise((resolve) => setTimeout(resolve))
  there.onText(JSON.stringify({ type: 'stdout', data: 'so far' }))
  cancel()
  await done
  expect(there.sent).toEqual(['{"type":"cancel"}', 'closed'])
  expect(told.at(-1)).toMatchObject({ state: 'cancelled', output: [{ from: 'stdout', text: 'so far' }] })
})

test('of two that a signal ended, which one is part of the answer', () => {
  const killedBy = (id: string, signal: string) =>
    withMessage(blankAnswer(machine({ id })), {
      type: 'exit',
      exitCode: null,
      signal,
      timedOut: false,
      truncated: false,
    })
  const answers = [killedBy('m1', 'SIGKILL'), killedBy('m2', 'SIGKILL'), killedBy('m3', 'SIGSEGV')]
  expect(answers[0]).toMatchObject({ state: 'ended', exitCode: null, signal: 'SIGKILL' })
  expect([...differing(answers)]).toEqual(['m3'])
})
