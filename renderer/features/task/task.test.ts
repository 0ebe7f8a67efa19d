import { expect, test } from 'vitest'
import { addOutput, afterTold, type CommandState, ended } from './command.ts'
import { readFields } from './fields.ts'

const running: CommandState = { phase: 'running', since: 0, parts: [], cut: false }

test('output is joined by where it comes from, without what a terminal would obey', () => {
  const esc = '\u001b'
  const { parts } = addOutput([], 'stdout', `${esc}[31mred${esc}[0m ${esc}]52;c;aGk=\u0007x\u0007\r\n`)
  const more = addOutput(parts, 'stdout', 'more')
  expect(more.parts).toEqual([{ id: 1, from: 'stdout', text: 'red x\nmore' }])
  expect(addOutput(more.parts, 'stderr', 'bad').parts).toHaveLength(2)
})

test('of a flood the end is kept, and that something is missing is said', () => {
  let parts: ReturnType<typeof addOutput>['parts'] = []
  let cut = false
  for (let round = 0; round < 40; round++) {
    const next = addOutput(parts, 'stdout', `${round}`.padEnd(20_000, 'x'))
    parts = next.parts
    cut ||= next.cut
  }
  const text = parts.map((part) => part.text).join('')
  expect(cut).toBe(true)
  expect(text.length).toBeLessThan(300 * 1024)
  expect(text).toContain('39xxx')
})

test('a command ends once, with what the machine said', () => {
  const after = afterTold(running, { type: 'exit', exitCode: 3, timedOut: false, truncated: true })
  expect(after).toMatchObject({ phase: 'ended', well: false })
  expect(after.phase === 'ended' && after.verdict).toContain('exit code 3')
  expect(ended(after, 'the connection ended', false)).toBe(after)
  const killed = { type: 'exit', exitCode: null, timedOut: false, truncated: false } as const
  const verdicts = [{ ...killed, signal: 'SIGKILL' }, killed].map((told) => afterTold(running, told))
  expect(verdicts).toMatchObject([{ verdict: 'It was ended by SIGKILL.' }, { verdict: 'It was ended by a signal.' }])
})

test('fields are lines of name and value, and a line that is none is named', () => {
  expect(readFields('First name: Ada\n\nUrl: https://a:1/\nEmpty:\n')).toEqual({
    fields: { 'First name': 'Ada', Url: 'https://a:1/', Empty: '' },
    wrong: undefined,
  })
  expect(readFields('no colon').wrong).toBe('no colon')
})
